import { copyButton } from './clipboard.ts';

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
