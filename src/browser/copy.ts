import { copyFeedback, copyText, selectText } from './clipboard.ts';

/** Starts the buttons that copy the text of an element, whose id is in `data-copy`. */
export function startCopying(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    const target = document.getElementById(button.dataset.copy ?? '');
    if (target === null) continue;
    const feedback = copyFeedback(button, button.nextElementSibling);
    button.hidden = false;
    button.addEventListener('click', async () => {
      if (await copyText(target.textContent)) feedback.copied();
      else {
        selectText(target);
        feedback.refused();
      }
    });
  }
}
