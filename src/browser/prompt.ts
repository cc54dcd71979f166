import { dividedSample, fillIn } from '../text/prompt-text.ts';
import { make } from './make.ts';
import { recall, remember } from './memory.ts';

/** Shows a text in a status, which screen readers announce. A problem, if there is one, follows it and colors both. */
function say(status: Element | null, text = '', problem = ''): void {
  if (status === null) return;
  status.textContent = [text, problem].filter((part) => part !== '').join(' ');
  status.toggleAttribute('data-problem', problem !== '');
}

/** Copies text. False if the browser refuses: outside a secure context, or because of its settings. */
async function copyText(text: string): Promise<boolean> {
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
function offerText(text: string, place: Element, withdrawn: () => void): void {
  withdrawText();
  const field = Object.assign(make('textarea', 'offered'), { readOnly: true, rows: 6, value: text });
  field.setAttribute('aria-label', 'The text to copy');
  field.addEventListener(withdraw, () => {
    field.remove();
    withdrawn();
  });
  place.after(field);
  // Backward and before the focus, so that the field shows the start of the text.
  field.setSelectionRange(0, field.value.length, 'backward');
  field.focus();
  // The focus alone is enough for browsers to scroll only if no part of the field is in view.
  field.scrollIntoView({ block: 'nearest' });
}

/** Removes the field that offers text, if it is after `place`, or wherever it is. */
function withdrawText(place?: Element): void {
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

/**
 * A button that copies, with the status next to it, which shows the result.
 *
 * Text that cannot be copied is offered after `place`, by default after the status. `label` says what the button says instead of
 * its own label, if anything.
 */
export function copyButton(
  button: HTMLButtonElement,
  status: Element | null,
  place: Element = status ?? button,
  label?: () => string | undefined,
) {
  // The name of the button may go on, hidden, after the text that the reader sees. Browsers that translate replace its nodes.
  const text = () => button.firstChild ?? button;
  const plain = text().textContent;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const reset = () => {
    clearTimeout(timer);
    text().textContent = label?.() ?? plain;
    button.style.minInlineSize = '';
    delete button.dataset.copied;
    say(status);
    withdrawText(place);
  };
  return {
    /** Removes the result, since the text to copy has changed. */
    reset,
    /** Copies text, or offers it if the browser refuses. The status also says what is wrong with the text. */
    async copy(copied: string, problem = ''): Promise<void> {
      const isCopied = await copyText(copied);
      reset();
      if (!isCopied) {
        // The status first: it takes up space above the field, which is then scrolled into view.
        say(status, `The browser does not allow this page to copy. The text is selected: ${howToCopy()}.`, problem);
        offerText(copied, place, () => say(status));
      } else if (problem !== '') say(status, 'The prompt was copied, but it is not complete.', problem);
      else {
        button.style.minInlineSize = `${button.getBoundingClientRect().width}px`;
        text().textContent = 'Copied';
        button.dataset.copied = '';
        say(status, 'Copied to the clipboard.');
        timer = setTimeout(reset, copiedMs);
      }
    },
  };
}

/**
 * Starts the buttons that copy the text of an element, whose id is in `data-copy`. As elsewhere, texts are read when the page
 * starts: later, the browser may have translated them.
 */
export function startCopying(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    const target = document.getElementById(button.dataset.copy ?? '');
    if (target === null) continue;
    const { copy } = copyButton(button, button.nextElementSibling);
    const text = target.textContent;
    button.hidden = false;
    button.addEventListener('click', () => copy(text));
  }
}

/**
 * Returns what gives the prompt in the element `id`, with the reader's input, if any, in its INPUT section.
 *
 * U+FFFD replaces half of a character, such as of an emoji that was cut: no address can contain it, and
 * encodeURIComponent would throw.
 */
function promptIn(id: string): () => string {
  const prompt = document.getElementById(id)?.textContent ?? '';
  const fields = [...document.querySelectorAll<HTMLTextAreaElement>(`[data-fill-in="${id}"] textarea`)];
  const inputOf = ({ value, dataset }: HTMLTextAreaElement) => ({
    name: dataset.input,
    text: value.replace(/\p{Surrogate}/gu, '\uFFFD'),
  });
  return () => fillIn(prompt, fields.map(inputOf));
}

/** The event of a field whose text was changed in another tab. */
const followed = 'followed';

/**
 * Calls `changed` when a field of a form changes, in this tab or in another one. Without an event, browsers also fill in what a
 * reader typed before they left the page, and some do so after its scripts ran.
 */
function watchFields(form: Element, changed: (event: Event) => void): void {
  for (const event of ['input', followed]) form.addEventListener(event, changed);
  addEventListener('pageshow', changed);
}

/** Starts the forms that copy the prompt with the reader's input. `data-fill-in` is the id of the prompt. */
export function startFillIn(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-fill-in]')) {
    const button = form.querySelector<HTMLButtonElement>('[type="submit"]');
    if (button === null) continue;
    const status = form.querySelector('.copy-status');
    const hasInput = () => fieldsOf(form).some(({ value }) => value.trim() !== '');
    const { copy, reset } = copyButton(button, status, form, () => (hasInput() ? button.dataset.withInput : undefined));
    const promptText = promptIn(form.dataset.fillIn ?? '');
    const openIn = form.querySelector<HTMLElement>('li[data-with-input]');
    const plain = openIn?.textContent ?? '';
    const changed = () => {
      reset();
      if (openIn !== null) openIn.textContent = hasInput() ? (openIn.dataset.withInput ?? '') : plain;
    };
    startRemembering(form);
    startSample(form, status);
    watchFields(form, changed);
    changed();
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const missing = showMissing(form);
      copy(promptText(), missing);
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
  field.setAttribute('aria-invalid', String(missing));
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
  const sample = document.getElementById(button?.dataset.sample ?? '')?.textContent ?? '';
  button?.addEventListener('click', () => {
    // No text of the reader is ever replaced.
    if (fields.some(({ value }) => value.trim() !== '')) return say(status, '', 'Clear the fields first.');
    const texts = dividedSample(sample, fields.map(nameOf));
    for (const field of fields) setField(field, texts.get(nameOf(field)) ?? '');
    say(status, 'The fields have the sample.');
  });
  form.querySelector('[data-clear]')?.addEventListener('click', () => {
    for (const field of fields) setField(field, '');
    // Earlier versions of the prompt may have had other fields.
    if (form.dataset.remember !== undefined) remember(inputsKey(form.dataset.remember), null);
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
    for (const field of fields) if (nameOf(field) === name) setField(field, text);
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
    const promptText = promptIn(id);
    const links = [...group.querySelectorAll('a')].map((link) => ({ link, home: link.href, name: link.textContent }));
    const form = document.querySelector(`[data-fill-in="${id}"]`);
    const status = group.querySelector('[role="status"]');
    /** Which links have no prompt. */
    let notice = '';

    const update = () => {
      withdrawText(group);
      const text = encodeURIComponent(promptText());
      for (const { link, home } of links) {
        const address = (link.dataset.prefill ?? '') + text;
        const fits = link.dataset.prefill !== '' && address.length <= Number(link.dataset.limit);
        link.href = fits ? address : home;
        link.toggleAttribute('data-copies', !fits);
      }
      const long = links.filter(({ link: { dataset } }) => dataset.prefill !== '' && 'copies' in dataset);
      notice =
        long.length === 0
          ? ''
          : `The prompt is too long for a link to ${long.map(({ name }) => name).join(', ')}. It will be copied for you to paste.`;
      // If it were set again, a screen reader would repeat it for each letter that the reader types.
      if (status?.textContent !== notice) say(status, notice);
    };

    for (const { link, home, name } of links) {
      link.addEventListener('click', async (event) => {
        const missing = form === null ? '' : showMissing(form);
        if (!link.hasAttribute('data-copies')) return say(status, notice, missing);
        event.preventDefault();
        const text = promptText();
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

/** The reader's texts in the fields of a prompt. All tabs of the same agent share it. */

const inputsKey = (address: string) => `inputs ${address}`;

/** Returns the remembered texts by the names of their fields. `address` is the agent's address. */
function ownInputs(address: string): ReadonlyMap<string, string> {
  return textsIn(recall(inputsKey(address)));
}

/** Remembers the text of one field. The others keep theirs, since the reader may have typed them in another tab. */
function rememberInput(address: string, name: string, text: string): void {
  const store = (texts: ReadonlyMap<string, string>) =>
    remember(inputsKey(address), texts.size === 0 ? null : JSON.stringify(Object.fromEntries(texts)));
  const others = new Map(ownInputs(address));
  others.delete(name);
  if (store(text === '' ? others : new Map(others).set(name, text))) return;
  // If there is no room for the text, the outdated one must not come back later.
  remember(inputsKey(address), null);
  store(others);
}

/** Calls `changed` for each text that another tab changes. */
function followInputs(address: string, changed: (name: string, text: string) => void): void {
  addEventListener('storage', (event) => {
    if (event.key !== inputsKey(address)) return;
    const [before, after] = [textsIn(event.oldValue), textsIn(event.newValue)];
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      if (before.get(name) !== after.get(name)) changed(name, after.get(name) ?? '');
    }
  });
}

function textsIn(stored: string | null): ReadonlyMap<string, string> {
  try {
    const entries = Object.entries(JSON.parse(stored ?? '{}'));
    return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return new Map();
  }
}
