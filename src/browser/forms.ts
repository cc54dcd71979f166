import { failureText, type Subject } from './failure-text.ts';
import { ownVote, rememberVote } from './own-votes.ts';
import { send } from './send.ts';

/**
 * Starts the forms for votes and subscriptions. They are sent without leaving the page; the result appears next to the
 * button.
 */
export function startForms(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-feedback]')) startVoting(form);
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-subscribe]')) {
    const thanks = 'Thanks. If you need to confirm your address, an email is on its way.';
    startSending(form, 'subscription', () => thanks);
  }
}

type Fields = Record<string, FormDataEntryValue>;

function startVoting(form: HTMLFormElement): void {
  const { slug } = fieldsOf(form, null);
  const showVote = (vote: string | null) => {
    for (const button of buttonsOf(form)) button.setAttribute('aria-pressed', String(button.value === vote));
  };
  const known = ownVote(form.action, String(slug));
  showVote(known);
  if (known !== null) say(form, `You voted ${known}.`);
  else preselect(form, new URLSearchParams(location.search).get('vote'));

  startSending(form, 'vote', ({ vote }) => {
    rememberVote(form.action, String(slug), String(vote));
    showVote(String(vote));
    return `Thanks. Your vote (${vote}) was recorded.`;
  });
}

/** Selects the button that the link in an email names. Only the reader sends the vote: mail scanners follow links too. */
function preselect(form: HTMLFormElement, vote: string | null): void {
  const button = buttonsOf(form).find(({ value }) => value === vote);
  if (button === undefined) return;
  button.setAttribute('aria-pressed', 'true');
  say(form, `To send your vote, press ${button.textContent} again here.`);
}

/**
 * Sends a form when it is submitted, one request at a time. `thank` turns the sent fields into a message for the
 * reader.
 */
function startSending(form: HTMLFormElement, subject: Subject, thank: (fields: Fields) => string): void {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const { submitter } = event;
    const fields = fieldsOf(form, submitter);
    const focused = document.activeElement;
    // Without an enabled button, Enter does not send a form either.
    for (const button of buttonsOf(form)) button.disabled = true;
    say(form, 'Sending …');
    const outcome = await send(form.action, fields);
    for (const button of buttonsOf(form)) button.disabled = false;
    const now = fieldsOf(form, submitter);
    // What the reader typed meanwhile was not sent.
    if (outcome.sent && JSON.stringify(now) === JSON.stringify(fields)) form.reset();
    say(form, outcome.sent ? thank(fields) : failureText(subject, outcome));
    // A disabled button loses the focus, and a keyboard user would lose their position.
    if (document.activeElement === document.body && focused instanceof HTMLElement) focused.focus();
  });
}

/** The fields of a form, including the button that sends it, without an empty note. */
function fieldsOf(form: HTMLFormElement, submitter: HTMLElement | null): Fields {
  const fields: Fields = Object.fromEntries(new FormData(form, submitter));
  if (fields.note === '') delete fields.note;
  return fields;
}

function buttonsOf(form: HTMLFormElement): HTMLButtonElement[] {
  return [...form.querySelectorAll('button')];
}

function say(form: HTMLFormElement, text: string): void {
  const message = form.querySelector('.form-message');
  if (message !== null) message.textContent = text;
}
