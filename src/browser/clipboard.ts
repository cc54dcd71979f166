/** Copies text. False if the browser refuses: outside a secure context, or because of its settings. */
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

/** Shows text that could not be copied, selected, in a field after `element`. Reuses the field if there is one. */
export function offerText(text: string, element: Element): void {
  const known = element.nextElementSibling;
  const field = known?.matches('textarea.offered')
    ? (known as HTMLTextAreaElement)
    : document.createElement('textarea');
  field.className = 'offered';
  field.readOnly = true;
  field.rows = 6;
  field.setAttribute('aria-label', 'The text to copy');
  field.value = text;
  element.after(field);
  field.focus();
  field.select();
}

/** How long a button says “Copied”, in milliseconds. */
const copiedMs = 2_000;

/** Shows the result of copying on the button and in the status next to it. */
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
      say(`The browser does not allow this page to copy. The text is selected: press ${keys}.`);
    },
  };
}
