import { readerMessage, subscribedText } from '../schema/reader-message.ts';
import { recall, remember } from './memory.ts';

/**
 * Starts the forms for votes and subscriptions. They are sent without leaving the page; the result appears next to the
 * button.
 */
export function startForms(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-feedback]')) startVoting(form);
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-subscribe]')) {
    const title = document.querySelector('.nameplate')?.textContent ?? '';
    startSending(form, 'subscription', () => `Thanks. ${subscribedText(title)}`);
  }
}

type Fields = Record<string, FormDataEntryValue>;

function startVoting(form: HTMLFormElement): void {
  // FormData would lay out the page while it loads.
  const slug = form.querySelector<HTMLInputElement>('[name="slug"]')?.value ?? '';
  const choices = form.querySelectorAll<HTMLButtonElement>('[name="vote"]');
  const sendNote = form.querySelector<HTMLButtonElement>('.send-note');
  const showVote = (vote: string | null) => {
    for (const button of choices) button.setAttribute('aria-pressed', String(button.value === vote));
    if (vote === null || sendNote === null) return;
    // The field for a note appears. A note is sent with the vote, which replaces the one before.
    form.dataset.voted = vote;
    sendNote.hidden = false;
  };
  const key = `vote ${form.action} ${slug}`;
  const buttonOf = (vote: string | null) => [...choices].find(({ value }) => value === vote);
  const remembered = () => buttonOf(recall(key))?.value ?? null;
  const storedVote = remembered();
  showVote(storedVote);
  // The link in an email names a vote. Only the reader sends it: email scanners follow links too.
  const link = new URLSearchParams(location.search).get('vote');
  const asked = link === storedVote ? undefined : buttonOf(link);
  if (storedVote === null) asked?.setAttribute('aria-pressed', 'true');
  say(form, voteText(storedVote, asked));
  showTotals(form, slug);

  // A note goes with the latest vote, which the reader may have changed in another tab.
  form.addEventListener('submit', () => {
    const latest = remembered();
    if (latest !== null) form.dataset.voted = latest;
  });
  startSending(form, 'vote', ({ vote, note }) => {
    // An earlier vote must not come back with a note.
    if (!remember(key, String(vote))) remember(key, null);
    showVote(String(vote));
    const what = note === undefined ? `Your vote (${vote}) was` : `Your vote (${vote}) and your note were`;
    return `Thanks. ${what} recorded. Only the publisher reads notes.`;
  });
}

/**
 * Shows how readers voted once the form is near the screen. The server leaves out agents with few votes; without totals,
 * nothing is shown.
 */
function showTotals(form: HTMLFormElement, slug: string): void {
  const line = form.querySelector('.vote-totals');
  const observer = new IntersectionObserver(
    async (entries) => {
      if (line === null || !entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      const answer = await fetch(form.action.replace(/feedback$/, 'votes.json'), {
        signal: AbortSignal.timeout?.(patienceMs),
      }).catch(() => null);
      const { totals } = (await answer?.json().catch(() => null)) ?? {};
      const { yes, no } = totals?.[slug] ?? {};
      if (Number.isInteger(yes) && Number.isInteger(no)) line.textContent = `So far: ${yes} yes, ${no} no`;
    },
    { rootMargin: '300px' },
  );
  observer.observe(form);
}

/** The text of a form about the stored vote, and about the button for another one that a link in an email names. */
function voteText(storedVote: string | null, asked: HTMLButtonElement | undefined): string {
  if (storedVote === null)
    return asked === undefined ? '' : `To send your vote, press ${asked.textContent} again here.`;
  return `You voted ${storedVote}.${asked === undefined ? '' : ` To change your vote, press ${asked.textContent}.`}`;
}

/**
 * Sends a form when it is submitted, one request at a time. `thank` turns the sent fields into a message for the
 * reader.
 */
function startSending(form: HTMLFormElement, subject: Subject, thank: (fields: Fields) => string): void {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const submitter = event.submitter as HTMLButtonElement | null;
    const fields = fieldsOf(form, submitter);
    const focused = document.activeElement;
    // Without an enabled button, Enter does not send a form either.
    const buttons = form.querySelectorAll('button');
    for (const button of buttons) button.disabled = true;
    say(form, 'Sending …');
    const outcome = await send(form.action, fields);
    for (const button of buttons) button.disabled = false;
    const now = fieldsOf(form, submitter);
    // Text that the reader typed meanwhile was not sent.
    if (outcome.sent && JSON.stringify(now) === JSON.stringify(fields)) form.reset();
    const message = say(form, outcome.sent ? thank(fields) : failureText(subject, outcome));
    // A disabled button loses the focus, and a keyboard user would lose their position.
    if (document.activeElement === document.body && focused instanceof HTMLElement) focused.focus();
    // If the field is at the lower edge of the window, the message below it is out of view.
    if (form.contains(document.activeElement)) message?.scrollIntoView({ block: 'nearest' });
  });
}

/** The fields of a form, including the button that sends it, without an empty note. */
function fieldsOf(form: HTMLFormElement, submitter: HTMLButtonElement | null): Fields {
  const { voted } = form.dataset;
  const fields: Fields = { ...(voted === undefined ? {} : { vote: voted }), ...Object.fromEntries(new FormData(form)) };
  // FormData adds it only in browsers since 2023.
  if (submitter?.name) fields[submitter.name] = submitter.value;
  if (fields.note === '') delete fields.note;
  return fields;
}

/** Shows a text in the status of a form, and returns the status. */
function say(form: HTMLFormElement, text: string): Element | null {
  const message = form.querySelector('.form-message');
  if (message !== null) message.textContent = text;
  return message;
}

/** The result of sending a form. */
export type Outcome = { sent: true } | Failure;

/** Why a form was not sent. */
interface Failure {
  sent: false;
  /** Null if no response arrived. */
  status: number | null;
  /** The server's error message; null if something else answered, such as a proxy. */
  message: string | null;
  /** In seconds. */
  retryAfter: number | null;
}

/** How long a response may take, in milliseconds. Safari 15 has no such limit. */
const patienceMs = 20_000;

/** Sends fields as JSON to a route of the server. Never rejects. */
export async function send(address: string, fields: Record<string, FormDataEntryValue>): Promise<Outcome> {
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
      signal: AbortSignal.timeout?.(patienceMs),
    });
    const answer = await response.json().catch(() => null);
    if (response.ok && answer?.ok === true) return { sent: true };
    return {
      sent: false,
      status: response.status,
      message: response.ok || typeof answer?.error !== 'string' ? null : String(answer.message ?? ''),
      retryAfter: secondsFrom(response.headers.get('retry-after')),
    };
  } catch {
    return { sent: false, status: null, message: null, retryAfter: null };
  }
}

/** How many seconds Retry-After asks to wait (RFC 9110, section 10.2.3), or null. */
function secondsFrom(header: string | null): number | null {
  if (header === null) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - Date.now()) / 1000);
  return Number.isFinite(seconds) ? Math.max(1, seconds) : null;
}

/** The body that a form sends. */
type Subject = 'vote' | 'subscription';

/** The message for a reader whose vote or subscription failed: what happened, and what to do. */
export function failureText(subject: Subject, { status, message, retryAfter }: Failure): string {
  const later = retryAfter === null ? 'later' : `in ${retryAfter} ${retryAfter === 1 ? 'second' : 'seconds'}`;
  const not = subject === 'vote' ? 'Your vote was not recorded.' : 'You are not subscribed.';
  // Proxies answer with these, too, and they ask the same of the reader.
  const isCommon = status === null || status === 413 || status === 429 || status === 503;
  if (message === null && !isCommon)
    return `${not} Something other than the server answered (status ${status}), such as a proxy or the login page of a network. Check your connection and try again ${later}.`;
  if (status === null)
    return `${not} The server did not respond. Check your connection and try again. Your entries are still in the form.`;
  const reasons: Record<number, string> = {
    400: readerMessage(message ?? '') || 'Something in the form is invalid.',
    403: 'Only pages of this site may send it. Open this page at its original address.',
    404: 'The server does not know this agent. If it was renamed, reload the page. If it was just published, try again in a minute.',
    413: 'The note is too long. Shorten it and try again.',
    429: `There were too many requests from your network. Try again ${later}.`,
    502: `The mailing service did not accept your address. Try again ${later}.`,
    503: `The server cannot store anything right now. Try again ${later}.`,
  };
  return `${not} ${reasons[status] ?? `The server returned an error (${status}). Try again ${later}.`}`;
}
