import { dividedSample, fillIn } from '../text/prompt-text.ts';
import { copyButton, copyText, offerText, say, withdrawText } from './clipboard.ts';
import { followInputs, forgetInputs, ownInputs, rememberInput } from './memory.ts';

/**
 * The prompt in the element `id`, with the reader's input, if any, in its INPUT section.
 *
 * U+FFFD replaces half of a character, such as of an emoji that was cut: no address can contain it, and
 * encodeURIComponent would throw.
 */
function promptText(id: string): string {
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
const followed = 'followed';

/** Calls `changed` when a field of a form changes, in this tab or in another one. */
function watchFields(form: Element, changed: (event: Event) => void): void {
  for (const event of ['input', followed]) form.addEventListener(event, changed);
}

/** Starts the forms that copy the prompt with the reader's input. `data-fill-in` is the id of the prompt. */
export function startFillIn(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-fill-in]')) {
    const button = form.querySelector<HTMLButtonElement>('[type="submit"]');
    if (button === null) continue;
    const status = form.querySelector('.copy-status');
    const hasInput = () => fieldsOf(form).some(({ value }) => value.trim() !== '');
    const { copy, reset } = copyButton(button, status, form, () => (hasInput() ? button.dataset.withInput : undefined));
    startRemembering(form);
    startSample(form, status);
    watchFields(form, reset);
    reset();
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
function showMissing(form: ParentNode): string {
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

function fieldsOf(form: Element): HTMLTextAreaElement[] {
  return [...form.querySelectorAll<HTMLTextAreaElement>('fieldset textarea')];
}

function nameOf({ dataset }: HTMLTextAreaElement): string {
  return dataset.input ?? '';
}

/** Sets a field to a text that the reader did not type here, which is not remembered. */
function setField(field: HTMLTextAreaElement, text: string): void {
  field.value = text;
  field.dispatchEvent(new Event(followed, { bubbles: true }));
}

/** Starts the button that fills the fields with the sample, whose element is named by `data-sample`, and the one that clears them. */
function startSample(form: HTMLFormElement, status: Element | null): void {
  const fields = fieldsOf(form);
  const button = form.querySelector<HTMLElement>('[data-sample]');
  button?.addEventListener('click', () => {
    // No text of the reader is ever replaced.
    if (fields.some(({ value }) => value.trim() !== '')) return say(status, '', 'Clear the fields first.');
    const sample = document.getElementById(button.dataset.sample ?? '')?.textContent ?? '';
    const texts = dividedSample(sample, fields.map(nameOf));
    for (const field of fields) setField(field, texts.get(nameOf(field)) ?? '');
    say(status, 'The fields have the sample.');
  });
  form.querySelector('[data-clear]')?.addEventListener('click', () => {
    for (const field of fields) setField(field, '');
    // Earlier versions of the prompt may have had other fields.
    if (form.dataset.remember !== undefined) forgetInputs(form.dataset.remember);
    say(status, 'Cleared.');
  });
}

/** Keeps the fields of a form in this browser until the reader clears them. `data-remember` is the agent's address. */
function startRemembering(form: HTMLFormElement): void {
  const fields = fieldsOf(form);
  for (const field of fields) watchFields(field, () => setMissing(field, false));
  const address = form.dataset.remember;
  if (address === undefined) return;
  const texts = ownInputs(address);
  for (const field of fields) {
    field.value = texts.get(nameOf(field)) ?? field.value;
    field.addEventListener('input', () => rememberInput(address, nameOf(field), field.value));
  }
  followInputs(address, (name, text) => {
    const field = fields.find((one) => nameOf(one) === name);
    if (field !== undefined) setField(field, text);
  });
}

/**
 * Starts the links that open the prompt in an assistant. `data-open-in` is the id of the prompt.
 *
 * If the assistant accepts no prompt in an address (`data-prefill` is empty), or the address would be longer than its
 * `data-limit`, the prompt is copied before the assistant opens, and the page says so.
 */
export function startOpenIn(): void {
  for (const group of document.querySelectorAll<HTMLElement>('[data-open-in]')) {
    const id = group.dataset.openIn ?? '';
    const links = [...group.querySelectorAll('a')].map((link) => ({ link, home: link.href, name: link.textContent }));
    const form = document.querySelector(`[data-fill-in="${id}"]`);
    const status = group.querySelector('[role="status"]');
    /** Which links have no prompt. */
    let notice = '';

    const update = () => {
      withdrawText(group);
      const text = encodeURIComponent(promptText(id));
      for (const { link, home } of links) {
        const address = (link.dataset.prefill ?? '') + text;
        const fits = link.dataset.prefill !== '' && address.length <= Number(link.dataset.limit);
        link.href = fits ? address : home;
        link.toggleAttribute('data-copies', !fits);
      }
      const isLong = ({ dataset }: HTMLElement) => dataset.prefill !== '' && 'copies' in dataset;
      const long = links.filter(({ link }) => isLong(link)).map(({ name }) => name);
      notice =
        long.length === 0
          ? ''
          : `The prompt is too long for a link to ${long.join(', ')}. It will be copied for you to paste.`;
      say(status, notice);
    };

    for (const { link, home, name } of links) {
      link.addEventListener('click', async (event) => {
        const missing = form === null ? '' : showMissing(form);
        if (!link.hasAttribute('data-copies')) return say(status, notice, missing);
        event.preventDefault();
        const text = promptText(id);
        if (await copyText(text)) {
          say(status, `The prompt was copied. Paste it into ${name}.`, missing);
          open(home, '_blank', 'noopener');
        } else {
          withdrawText(group);
          say(status, `The browser does not allow this page to copy. Copy the selected text into ${name}.`, missing);
          offerText(text, group, () => say(status, notice));
        }
      });
    }
    if (form !== null) watchFields(form, update);
    update();
    group.hidden = false;
  }
}
