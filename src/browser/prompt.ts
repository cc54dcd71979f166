import { fillIn } from '../agent-text/fill-in.ts';

/** The prompt in the element `id`, with the reader's own input in its INPUT section where there is some. */
export function promptText(id: string): string {
  const prompt = document.getElementById(id)?.textContent ?? '';
  const field = document.querySelector<HTMLTextAreaElement>(`[data-fill-in="${id}"] textarea`);
  return fillIn(prompt, field?.value ?? '');
}
