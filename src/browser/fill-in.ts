import { copyButton } from './clipboard.ts';
import { followInputs, forgetInputs, ownInputs, rememberInput } from './own-inputs.ts';
import { followed, promptText, watchFields } from './prompt.ts';
import { say } from './status.ts';

/** Starts the forms that copy the prompt with the reader's input. `data-fill-in` is the id of the prompt. */
export function startFillIn(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-fill-in]')) {
    const button = form.querySelector('button');
    if (button === null) continue;
    const status = form.querySelector('.buttons [role="status"]');
    const { copy, reset } = copyButton(button, status, form);
    startRemembering(form, status);
    watchFields(form, reset);
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const missing = showMissing(form);
      copy(promptText(form.dataset.fillIn ?? ''), missing);
    });
  }
}

/**
 * Says next to each required field of a form that is empty that the prompt lacks this input. Returns the same for all of
 * them in one text, or an empty text, for the status of the button that was pressed: screen readers announce it there.
 */
export function showMissing(form: ParentNode): string {
  const required = [...form.querySelectorAll<HTMLTextAreaElement>('[aria-required="true"]')];
  const missing = required.filter(({ value }) => value.trim() === '');
  for (const field of required) setMissing(field, missing.includes(field));
  return missingText(missing);
}

function missingText(fields: readonly HTMLTextAreaElement[]): string {
  const names = new Intl.ListFormat('en').format(fields.map(({ dataset }) => dataset.input ?? ''));
  if (fields.length === 0) return '';
  return fields.length === 1
    ? `${names} is missing. The prompt requires it.`
    : `${names} are missing. The prompt requires them.`;
}

function setMissing(field: HTMLTextAreaElement, missing: boolean): void {
  field.ariaInvalid = String(missing);
  const message = field.parentElement?.querySelector('.form-message') ?? null;
  if (message !== null) message.textContent = missing ? missingText([field]) : '';
}

/** Keeps the fields of a form in this browser until the reader clears them. `data-remember` is the agent's address. */
function startRemembering(form: HTMLFormElement, status: Element | null): void {
  const address = form.dataset.remember;
  if (address === undefined) return;
  const fields = [...form.querySelectorAll<HTMLTextAreaElement>('[data-input]')];
  const nameOf = ({ dataset }: HTMLTextAreaElement) => dataset.input ?? '';
  const texts = ownInputs(address);
  for (const field of fields) {
    field.value = texts.get(nameOf(field)) ?? field.value;
    field.addEventListener('input', () => rememberInput(address, nameOf(field), field.value));
    watchFields(field, () => setMissing(field, false));
  }
  followInputs(address, (name, text) => {
    const field = fields.find((one) => nameOf(one) === name);
    if (field === undefined) return;
    field.value = text;
    field.dispatchEvent(new Event(followed, { bubbles: true }));
  });
  form.querySelector('[data-clear]')?.addEventListener('click', () => {
    for (const field of fields) {
      field.value = '';
      // The links that open the prompt in an assistant follow this event, too.
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }
    // Earlier versions of the prompt may have had other fields.
    forgetInputs(address);
    say(status, 'Cleared.');
  });
}
