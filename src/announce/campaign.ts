import { setTimeout as sleep } from 'node:timers/promises';
import { OperationError } from '../errors.ts';
import type { Claim } from './journal.ts';
import type { OutgoingMail, Sender, Sent, Subject } from './senders/sender.ts';
import { ServiceFailed } from './service-calls.ts';

/** A mail as a service stores it: `state` is `draft`, `sent` (also if it is being sent), or a word of the service. */
export interface Campaign {
  id: string;
  state: string;
}

/** A service that sends a mail to a list, in two steps: it stores a draft, and sends it when told to. */
export interface CampaignService {
  readonly name: string;
  audience(): Promise<string>;
  /** Returns the campaigns with exactly this key. `day` is that of the newest agent. */
  find(key: string, day: string): Promise<Campaign[]>;
  /** Stores a draft for the list, and returns its id. */
  create(key: string, mail: OutgoingMail): Promise<string>;
  /** Reads a campaign. Throws OperationError if it would go to others than the list. */
  read(id: string): Promise<Campaign>;
  /** Sends a draft. */
  send(id: string): Promise<void>;
  test(key: string, mail: OutgoingMail, address: string): Promise<string>;
}

/** How long after sending a service may still call a campaign a draft, in milliseconds. */
const settleMs = 15 * 60_000;

export interface CampaignTools {
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
      const { id, state: listed } = await draftOf(subject, claim);
      if (claim.announcement.draft !== id) await claim.record({ type: 'drafted', draft: id });
      const { state } = listed === 'draft' ? await service.read(id) : { state: listed };
      if (state === 'sent') {
        await claim.record({ type: 'sent' });
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
      await claim.record({ type: 'sending' });
      return sendDraft(id, audience, claim);
    },
  };

  async function draftOf(subject: Subject, claim: Claim): Promise<Campaign> {
    const { abandoned, draft } = claim.announcement;
    const candidates = async () =>
      (await service.find(subject.key, subject.day))
        .filter(({ id }) => !abandoned.includes(id))
        .sort((a, b) => Number(b.state === 'sent') - Number(a.state === 'sent') || (a.id < b.id ? -1 : 1));
    const [known] = await candidates();
    if (known !== undefined) return known;
    if (draft !== null) return service.read(draft);
    const id = await service.create(subject.key, subject.mail);
    // If another machine stored one at the same time, both use the same draft.
    return (await candidates())[0] ?? { id, state: 'draft' };
  }

  /** Sends a draft, and reads it back: what the service says then is what counts. */
  async function sendDraft(id: string, audience: string, claim: Claim): Promise<Sent> {
    const failure = await service.send(id).then(
      () => null,
      (error) => (error instanceof ServiceFailed ? error : Promise.reject(error)),
    );
    const after = await readBack(service, id, wait);
    if (after === 'sent') {
      await claim.record({ type: 'sent' });
      return { outcome: 'sent', message: `${service.name} sends the email to ${audience} (${id}).` };
    }
    if (failure?.refused && after === 'draft') {
      await claim.record({ type: 'unsent' });
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
  const hint = `Look at ${id} there. Then run this command with --resolve sent or --resolve unsent.`;
  return { outcome: 'uncertain', message: `Whether ${name} sent the email is not known: ${why} ${hint}` };
}
