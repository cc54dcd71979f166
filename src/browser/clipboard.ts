/** Copies text. False where the browser refuses: outside of a secure context, or by its settings. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Selects the text of an element, so that the reader can copy it by hand. */
export function selectText(element: HTMLElement): void {
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
  element.focus({ preventScroll: true });
}

/** Puts text that could not be copied into a field after `place`, selected; the field of an earlier time is used again. */
export function offerText(text: string, place: Element): void {
  const known = place.nextElementSibling;
  const field = known?.matches('textarea.offered')
    ? (known as HTMLTextAreaElement)
    : document.createElement('textarea');
  field.className = 'offered';
  field.readOnly = true;
  field.rows = 6;
  field.setAttribute('aria-label', 'The text to copy');
  field.value = text;
  place.after(field);
  field.focus();
  field.select();
}

/** How long a button says that something was copied, in milliseconds. */
const copiedMs = 2_000;

/** What a button to copy and the status beside it say. */
export interface CopyFeedback {
  copied(): void;
  /** The text to copy is selected instead. */
  refused(): void;
}

export function copyFeedback(button: HTMLButtonElement, status: Element | null): CopyFeedback {
  const label = button.textContent;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const say = (text: string) => {
    if (status !== null) status.textContent = text;
  };
  const rest = () => {
    clearTimeout(timer);
    button.textContent = label;
    delete button.dataset.copied;
    say('');
  };
  return {
    copied() {
      rest();
      button.textContent = 'Copied';
      button.dataset.copied = '';
      say('Copied to the clipboard.');
      timer = setTimeout(rest, copiedMs);
    },
    refused() {
      rest();
      const keys = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘C' : 'Ctrl+C';
      say(`The browser does not let this page copy. The text is selected: press ${keys}.`);
    },
  };
}
