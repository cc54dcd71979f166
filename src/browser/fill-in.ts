import { copyFeedback, copyText, offerText } from './clipboard.ts';
import { promptText } from './prompt.ts';

/** Starts the forms that copy the prompt with the reader's input. `data-fill-in` is the id of the prompt. */
export function startFillIn(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-fill-in]')) {
    const button = form.querySelector('button');
    if (button === null) continue;
    const feedback = copyFeedback(button, form.querySelector('[role="status"]'));
    form.hidden = false;
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const text = promptText(form.dataset.fillIn ?? '');
      if (await copyText(text)) feedback.copied();
      else {
        offerText(text, form);
        feedback.refused();
      }
    });
  }
}
