import { fillIn } from '../agent-text/fill-in.ts';

/**
 * The prompt in the element `id`, with the reader's input, if any, in its INPUT section.
 *
 * U+FFFD replaces half of a character, such as of an emoji that was cut: no address can contain it, and
 * encodeURIComponent would throw.
 */
export function promptText(id: string): string {
  const prompt = document.getElementById(id)?.textContent ?? '';
  const fields = document.querySelectorAll<HTMLTextAreaElement>(`[data-fill-in="${id}"] textarea`);
  return fillIn(
    prompt,
    [...fields].map(({ value, dataset }) => ({
      name: dataset.input,
      text: value.replace(/\p{Surrogate}/gu, '\uFFFD'),
    })),
  );
}

/** The event of a field whose text was changed in another tab. */
export const followed = 'followed';

/** Calls `changed` when a field of a form changes, in this tab or in another one. */
export function watchFields(form: Element, changed: (event: Event) => void): void {
  for (const event of ['input', followed]) form.addEventListener(event, changed);
}
