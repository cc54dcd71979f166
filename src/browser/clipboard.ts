/** Shows a text in a status, which screen readers announce. A problem, if there is one, follows it and colors both. */
export function say(status: Element | null, text = '', problem = ''): void {
  if (status === null) return;
  status.textContent = [text, problem].filter((part) => part !== '').join(' ');
  status.toggleAttribute('data-problem', problem !== '');
}

/** Copies text. False if the browser refuses: outside a secure context, or because of its settings. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    return false;
  }
  withdrawText();
  return true;
}

const withdraw = 'withdraw';

/**
 * Shows text that could not be copied, selected, in a field after `place`. A page has at most one such field.
 * `withdrawn` is called when the field is removed.
 */
export function offerText(text: string, place: Element, withdrawn: () => void): void {
  withdrawText();
  const field = document.createElement('textarea');
  field.className = 'offered';
  field.readOnly = true;
  field.rows = 6;
  field.setAttribute('aria-label', 'The text to copy');
  field.value = text;
  field.addEventListener(withdraw, () => {
    field.remove();
    withdrawn();
  });
  place.after(field);
  field.focus();
  // Backward, so that the field shows the start of the text.
  field.setSelectionRange(0, field.value.length, 'backward');
  // The focus alone is enough for browsers to scroll only if no part of the field is in view.
  field.scrollIntoView({ block: 'nearest' });
}

/** Removes the field that offers text, if it is after `place`, or wherever it is. */
export function withdrawText(place?: Element): void {
  const field = document.querySelector('textarea.offered');
  if (place === undefined || field?.previousElementSibling === place) field?.dispatchEvent(new Event(withdraw));
}

/** Says how to copy selected text on this device. */
function howToCopy(): string {
  if (matchMedia('(pointer: coarse)').matches) return 'touch and hold it, then choose Copy';
  return `press ${navigator.userAgent.includes('Mac') ? '⌘C' : 'Ctrl+C'}`;
}

/** How long a button says “Copied”, in milliseconds. */
const copiedMs = 2_000;

/** A button that copies, with the status next to it, which shows the result. */
interface CopyButton {
  /** Copies text, or offers it if the browser refuses. The status also says what is wrong with the text. */
  copy(text: string, problem?: string): Promise<void>;
  /** Removes the result, since the text to copy has changed. */
  reset(): void;
}

/** Text that cannot be copied is offered after `place`. `label` says what the button says instead of its own label, if anything. */
export function copyButton(
  button: HTMLButtonElement,
  status: Element | null,
  place: Element,
  label?: () => string | undefined,
): CopyButton {
  // The name of the button may go on, hidden, after the text that the reader sees.
  const text = button.firstChild ?? button;
  const plain = text.textContent;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const reset = () => {
    clearTimeout(timer);
    text.textContent = label?.() ?? plain;
    delete button.dataset.copied;
    say(status);
    withdrawText(place);
  };
  return {
    reset,
    async copy(copied, problem = '') {
      const isCopied = await copyText(copied);
      reset();
      if (!isCopied) {
        // The status first: it takes up space above the field, which is then scrolled into view.
        say(status, `The browser does not allow this page to copy. The text is selected: ${howToCopy()}.`, problem);
        offerText(copied, place, () => say(status));
      } else if (problem !== '') say(status, 'The prompt was copied, but it is not complete.', problem);
      else {
        text.textContent = 'Copied';
        button.dataset.copied = '';
        say(status, 'Copied to the clipboard.');
        timer = setTimeout(reset, copiedMs);
      }
    },
  };
}

/** Starts the buttons that copy the text of an element, whose id is in `data-copy`. */
export function startCopying(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    const target = document.getElementById(button.dataset.copy ?? '');
    if (target === null) continue;
    const status = button.nextElementSibling;
    const { copy } = copyButton(button, status, status ?? button);
    button.hidden = false;
    button.addEventListener('click', () => copy(target.textContent));
  }
}
