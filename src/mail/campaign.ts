import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { OperationError } from '../lib/errors.ts';
import { retryAfterMs } from '../lib/http.ts';
import type { Mail } from '../site/mail/mail.ts';
import type { Claim } from './announcement-journal.ts';
import { type Answer, type Call, type CallTools, callsTo, ProviderFailed, pauseFor, secretsOf } from './calls.ts';

/** An email whose link to unsubscribe still has to be filled in: wherever `mark` is. */
export interface OutgoingMail extends Mail {
  /** An address that no text contains. */
  mark: string;
}

/** The subject of an announcement, for services that ask. */
export interface Subject {
  /** The same for the same announcement, always. */
  key: string;
  /** The day of its newest agent, YYYY-MM-DD. */
  day: string;
  kind: 'issue' | 'digest';
  list: string;
  agent: { date: string; slug: string; title: string; url: string };
  mail: OutgoingMail;
}

/** The result of sending: everything was sent, by this run or an earlier one; or some emails were not, or may not have been. */
export interface Sent {
  outcome: 'sent' | 'announced-already' | 'incomplete' | 'uncertain';
  /** The result, in sentences. */
  message: string;
  /** How many emails have which outcome, if the program sends them itself. */
  deliveries?: Record<string, number>;
}

/** Sends announcements to a list. Errors that a person can fix are thrown as OperationError. */
export interface Sender {
  readonly name: string;
  /** Says who would get the email. Changes nothing. Throws if the list does not exist. */
  audience(): Promise<string>;
  /** Whether the service itself knows that the announcement was sent. Changes nothing. */
  isSent(subject: Subject): Promise<boolean>;
  /** Sends it, unless it was sent before. */
  send(subject: Subject, claim: Claim): Promise<Sent>;
  /** Sends it to one address, without any record. Returns what was done. */
  test(subject: Subject, address: string): Promise<string>;
}

/** Puts what a link to unsubscribe opens into an email: an address, or what the service replaces with one. */
export function withUnsubscribe({ mark, ...mail }: OutgoingMail, link: string): Mail {
  const inHtml = link.replaceAll('&', '&amp;');
  return { ...mail, html: mail.html.replaceAll(mark, () => inHtml), text: mail.text.replaceAll(mark, () => link) };
}

type ServiceCall = Omit<Call, 'read' | 'maxBytes'> & {
  /** Whether the service ignores a request that it had before. @default only for GET */
  repeats?: boolean;
};

/**
 * Sends one request and returns the JSON of its answer, which has to have the shape. Throws ProviderFailed if there is no
 * answer, or not the expected success.
 */
type CallService = <Value>(call: ServiceCall, shape?: z.ZodType<Value>) => Promise<Value>;

export interface ServiceTools extends CallTools {
  /** How long a call may take, in milliseconds. @default 20000 */
  timeoutMs?: number;
  /** Waits if a service asks to. Rejects when `stop` is aborted. */
  pause?: (ms: number, stop?: AbortSignal) => Promise<unknown>;
  stop?: AbortSignal | undefined;
}

/** How long a run waits in all if a service asks to, in milliseconds. The job of the workflow ends after 15 minutes. */
const mostWaitMs = 10 * 60_000;

/** The longest answer that is read: lists of campaigns contain the emails. */
const maxBytes = 32 * 1024 * 1024;

/**
 * Makes calls to the API of a service. If a service asks to wait (Retry-After), it is asked again. Otherwise, only a GET is
 * repeated if it fails: whether any other request had an effect is not known then.
 */
export function serviceCalls(
  provider: string,
  key: string,
  headers: Record<string, string>,
  { timeoutMs = 20_000, pause = pauseFor, stop, ...tools }: ServiceTools,
): CallService {
  const { now = Date.now } = tools;
  const context = { provider, headers, secrets: secretsOf(key) };
  let left = mostWaitMs;

  /** Waits as long as a service asks for, and returns whether it did. After 429, the service certainly did nothing. */
  async function waitFor({ status, retryAfter }: Answer, repeats: boolean): Promise<boolean> {
    const asked = retryAfter === null ? undefined : retryAfterMs(retryAfter, now());
    const ms = Math.max(1000, asked ?? 0);
    if (asked === undefined || ms > left || !(status === 429 || (status === 503 && repeats))) return false;
    left -= ms;
    return pause(ms, stop).then(
      () => true,
      () => false,
    );
  }

  return async <Value>({ repeats, ...call }: ServiceCall, shape?: z.ZodType<Value>) => {
    const isRead = call.method === 'GET';
    for (;;) {
      const limits = { signal: AbortSignal.timeout(timeoutMs), retries: isRead ? 1 : 0 };
      const start = isRead || call.step === 'store' ? 'This run sent nothing: ' : '';
      const answer = await callsTo({ ...context, start, ...limits }, tools)({ ...call, read: true, maxBytes });
      if (!answer.ok && (await waitFor(answer, repeats ?? isRead))) continue;
      const parsed = shape?.safeParse(answer.body);
      if (!answer.ok || parsed?.success === false) throw answer.failure();
      return (parsed?.data ?? answer.body) as Value;
    }
  };
}

/** The most pages of a list that are read. */
const mostPages = 100;

/** Reads a list page by page. `next` must have the origin of the first page, since the key is sent there. */
export async function* pagesOf<Page extends { next?: string | null | undefined }>(
  call: CallService,
  first: string,
  shape: z.ZodType<Page>,
): AsyncGenerator<Page> {
  let url: string | null | undefined = first;
  for (let pages = 0; url != null; pages += 1) {
    const { origin, hostname } = new URL(first);
    if (pages === mostPages || !URL.canParse(url) || new URL(url).origin !== origin) {
      throw new OperationError(`The list at ${hostname} cannot be read to its end, so nothing was sent.`);
    }
    const page: Page = await call({ step: 'list', method: 'GET', url }, shape);
    yield page;
    url = page.next;
  }
}

/**
 * Returns what reads the state of a campaign from its status at a service. `sent` are the words for a campaign that was
 * sent or is being sent. Any other word than `draft` needs a person.
 */
export function withState(sent: readonly string[]) {
  return <Stored extends { status: string }>({ status, ...campaign }: Stored) => ({
    ...campaign,
    state: sent.includes(status) ? 'sent' : status,
  });
}

/** The status of a campaign, which is printed if it is not known. */
export const status = z.string().max(40);

/** The answer of a service that stored something. */
export const created = z.object({ id: z.string() });

/** An email as a service stores it: `state` is `draft`, `sent` (also if it is being sent), or a word of the service. */
export interface Campaign {
  id: string;
  state: string;
}

/** A service that sends an email to a list, in two steps: it stores a draft, and sends it when told to. */
export interface CampaignService {
  readonly name: string;
  audience(): Promise<string>;
  /** Returns the campaigns that are labeled with exactly this key. `day` is the day of the newest agent. */
  find(key: string, day: string): Promise<Campaign[]>;
  /** Stores a draft for the list, or the email in the draft `id`. Returns its id. */
  store(key: string, mail: OutgoingMail, id?: string): Promise<string>;
  /** Reads a campaign. Throws OperationError if it would go to others than the list. */
  read(id: string): Promise<Campaign>;
  /** Sends a draft. */
  send(id: string): Promise<void>;
  test(key: string, mail: OutgoingMail, address: string): Promise<string>;
}

/** How long after sending a service may still call a campaign a draft, in milliseconds. */
const settleMs = 15 * 60_000;

interface CampaignTools {
  now(): Date;
  /** @default node:timers/promises */
  wait?: (ms: number) => Promise<unknown>;
}

/**
 * A sender that lets a service send, exactly once: it looks for a campaign with the key, stores a draft if there is none,
 * and sends it only while it is a draft. A crash leaves at most a draft that is used by the next run.
 */
export function campaignSender(service: CampaignService, { now, wait = sleep }: CampaignTools): Sender {
  return {
    name: service.name,
    audience: () => service.audience(),
    isSent: async ({ key, day }) => (await service.find(key, day)).some(({ state }) => state === 'sent'),
    test: (subject, address) => service.test(subject.key, subject.mail, address),
    async send(subject, claim) {
      const audience = await service.audience();
      const { id, state: listed, isNew = false } = await draftOf(subject, claim);
      if (claim.announcement.draft !== id) await claim.append({ type: 'drafted', draft: id });
      const { state } = listed === 'draft' ? await service.read(id) : { state: listed };
      if (state === 'sent') {
        await claim.append({ type: 'sent' });
        return { outcome: 'announced-already', message: `Nothing to do: ${service.name} has sent it (${id}).` };
      }
      if (state !== 'draft') return unknown(service, id, `it calls the email ${JSON.stringify(state)}.`);
      const { state: begun, since } = claim.announcement;
      if (begun === 'sending' && now().getTime() - Date.parse(since) < settleMs) {
        return unknown(
          service,
          id,
          'an earlier run was interrupted while sending. The outcome will be clear after 15 minutes.',
        );
      }
      // The agent may have changed since an earlier run stored the draft.
      if (!isNew) await service.store(subject.key, subject.mail, id);
      await claim.append({ type: 'sending' });
      return sendDraft(id, audience, claim);
    },
  };

  async function draftOf(subject: Subject, claim: Claim): Promise<Campaign & { isNew?: boolean }> {
    const { abandoned, draft } = claim.announcement;
    const candidates = async () =>
      (await service.find(subject.key, subject.day))
        .filter(({ id }) => !abandoned.includes(id))
        .sort((a, b) => Number(b.state === 'sent') - Number(a.state === 'sent') || (a.id < b.id ? -1 : 1));
    const [candidate] = await candidates();
    if (candidate !== undefined) return candidate;
    if (draft !== null) return service.read(draft);
    const id = await service.store(subject.key, subject.mail);
    // If another machine stored one at the same time, both use the same draft.
    const [chosen = { id, state: 'draft' }] = await candidates();
    return { ...chosen, isNew: chosen.id === id };
  }

  /** Sends a draft, and reads it back: what the service says then is what counts. */
  async function sendDraft(id: string, audience: string, claim: Claim): Promise<Sent> {
    const failure = await service.send(id).then(
      () => null,
      (error) => (error instanceof ProviderFailed ? error : Promise.reject(error)),
    );
    const after = await readBack(service, id, wait);
    if (after === 'sent') {
      await claim.append({ type: 'sent' });
      return { outcome: 'sent', message: `${service.name} sends the email to ${audience} (${id}).` };
    }
    if (failure?.isRefusal && after === 'draft') {
      await claim.append({ type: 'unsent' });
      throw new OperationError(`The email was not sent: ${failure.message}`, { cause: failure });
    }
    return unknown(service, id, failure?.message ?? `it calls the email ${JSON.stringify(after)}.`);
  }
}

/** Reads a campaign until it is no draft, for a few seconds. Returns its state, or why it cannot be read. */
async function readBack(service: CampaignService, id: string, wait: (ms: number) => Promise<unknown>): Promise<string> {
  for (let reads = 1; ; reads += 1) {
    try {
      const { state } = await service.read(id);
      if (state !== 'draft' || reads === 3) return state;
    } catch (error) {
      if (!(error instanceof OperationError)) throw error;
      if (reads === 3) return 'unreadable';
    }
    await wait(reads * 1000);
  }
}

function unknown({ name }: CampaignService, id: string, why: string): Sent {
  const hint = `Look at ${id} there. In the workflow, send or delete it; elsewhere, run this command with --resolve sent or --resolve unsent.`;
  return { outcome: 'uncertain', message: `Whether ${name} sent the email is not known: ${why} ${hint}` };
}
