import * as z from 'zod';
import { OperationError } from '../../lib/errors.ts';
import {
  type Campaign,
  type CampaignService,
  type OutgoingMail,
  parsed,
  ServiceFailed,
  type ServiceTools,
  serviceCalls,
  withUnsubscribe,
} from '../campaign.ts';
import { secretsOf } from '../private-errors.ts';
import {
  type Answer,
  Calls,
  type CallTools,
  field,
  type ListName,
  type SubscriberLog,
  type SubscriberProvider,
} from '../provider.ts';

export interface ResendSettings {
  /** The address of the API, without the path /contacts. */
  url: string;
  key: string;
  /** The id of each list's segment. */
  lists: Record<ListName, string>;
  /** The contact property for the note; null if notes are not passed on. */
  noteProperty: string | null;
}

/**
 * Stores subscribers at Resend: creates a contact, then adds it to the segment of the list
 * (https://resend.com/docs/api-reference/contacts/create-contact).
 *
 * A separate call sets the note. So only the address in the first call comes from the reader, a validation error there
 * means the address, and the note of a known contact is stored too.
 */
export function createResend(
  { url, key, lists, noteProperty }: ResendSettings,
  log: SubscriberLog,
  tools: CallTools,
): SubscriberProvider {
  const provider = 'resend';
  const headers = { authorization: `Bearer ${key}` };
  return {
    name: provider,
    async add({ id, email, list, note }, signal) {
      const calls = new Calls({ provider, secrets: secretsOf(key, email, note), signal }, tools);
      const contact = `${url}/contacts/${encodeURIComponent(email)}`;

      const create = {
        step: 'create',
        method: 'POST',
        url: `${url}/contacts`,
        headers,
        body: JSON.stringify({ email, unsubscribed: false }),
      } as const;
      const created = await calls.send(create);
      if (!created.ok && !alreadyThere(created)) {
        if (blamesAddress(created)) return 'invalid';
        throw calls.refused(create, created, field(created.body, 'name'));
      }

      if (note !== undefined && note !== '' && noteProperty !== null) {
        const describe = {
          step: 'note',
          method: 'PATCH',
          url: contact,
          headers,
          body: JSON.stringify({ properties: { [noteProperty]: note } }),
        } as const;
        const described = await calls.send(describe);
        if (!described.ok) throw calls.refused(describe, described, field(described.body, 'name'));
      } else if (note) {
        log.warn(
          { provider, subscription: id },
          'The note of a subscription was not passed on. To pass notes on, set CATALOG_SIGNUPS_NOTE_PROPERTY.',
        );
      }

      const join = {
        step: 'segment',
        method: 'POST',
        url: `${contact}/segments/${encodeURIComponent(lists[list])}`,
        headers,
      } as const;
      const joined = await calls.send(join);
      if (joined.ok) return 'accepted';
      throw calls.refused(join, joined, field(joined.body, 'name'));
    },
  };
}

/** Resend documents no error code for a known contact, so this reads the message. */
function alreadyThere({ status, body }: Answer): boolean {
  return status === 409 || ((status === 400 || status === 422) && /already exists/i.test(message(body)));
}

/** Whether the address is invalid. An invalid key is a `validation_error` too (github.com/resend/resend-node/pull/617). */
function blamesAddress({ status, body }: Answer): boolean {
  const validation = (status === 400 || status === 422) && field(body, 'name') === 'validation_error';
  return validation && !/api key/i.test(message(body));
}

function message(body: unknown): string {
  const text = field(body, 'message');
  return typeof text === 'string' ? text : '';
}

const name = 'resend';

const created = z.object({ id: z.string() });
const broadcast = z.object({
  id: z.string(),
  name: z.string().nullish(),
  // It is printed if it is not known.
  status: z.string().max(40),
  segment_id: z.string().nullish(),
});
const broadcasts = z.object({ has_more: z.boolean().optional(), data: z.array(broadcast) });

/** What the states of a broadcast mean. Any other needs a person. */
const sent = ['queued', 'scheduled', 'sent'];

/** The most pages of broadcasts that are read. */
const mostPages = 100;

/** Sends broadcasts with Resend to the segment of a list (resend.com/docs/api-reference/broadcasts). */
export function resend(
  { url, key, lists }: Pick<ResendSettings, 'url' | 'key' | 'lists'>,
  { list, from, home }: { list: ListName; from: string; home: string },
  tools: ServiceTools,
): CampaignService {
  const call = serviceCalls(name, key, { authorization: `Bearer ${key}` }, tools);
  const segment = lists[list];
  const broadcastAt = (id: string) => `${url}/broadcasts/${encodeURIComponent(id)}`;
  return {
    name: 'Resend',
    async audience() {
      const found = await call({ step: 'segment', method: 'GET', url: `${url}/segments/${segment}` }).catch((error) => {
        if (!(error instanceof ServiceFailed) || error.status !== 404) throw error;
        throw new OperationError(`Resend has no segment ${segment}, so nothing was sent.`, { cause: error });
      });
      return `the segment ${JSON.stringify(parsed(name, z.object({ name: z.string() }), found).name)} (${segment})`;
    },
    async find(wanted) {
      const found: Campaign[] = [];
      let after = '';
      for (let page = 0; page < mostPages; page += 1) {
        const address = `${url}/broadcasts?limit=100${after}`;
        const { data, has_more } = parsed(name, broadcasts, await call({ step: 'find', method: 'GET', url: address }));
        found.push(...data.filter((each) => each.name === wanted).map(campaignOf));
        const last = data.at(-1);
        if (has_more !== true || last === undefined) return found;
        after = `&after=${encodeURIComponent(last.id)}`;
      }
      throw new OperationError('Resend has more broadcasts than can be searched, so nothing was sent.');
    },
    async create(wanted, mail) {
      const body = { name: wanted, segment_id: segment, from, ...contentOf(mail, '{{{RESEND_UNSUBSCRIBE_URL}}}') };
      return parsed(name, created, await call({ step: 'create', method: 'POST', url: `${url}/broadcasts`, body })).id;
    },
    async read(id) {
      const found = parsed(name, broadcast, await call({ step: 'read', method: 'GET', url: broadcastAt(id) }));
      if (found.segment_id != null && found.segment_id !== segment) {
        throw new OperationError(`The broadcast ${id} at Resend is for another segment, so it was not sent.`);
      }
      return campaignOf(found);
    },
    send: async (id) => void (await call({ step: 'send', method: 'POST', url: `${broadcastAt(id)}/send`, body: {} })),
    async test(_key, mail, address) {
      const body = { from, to: [address], ...contentOf(mail, home) };
      await call({ step: 'test', method: 'POST', url: `${url}/emails`, body });
      return `Resend sends the email to ${address}. Its link to unsubscribe only opens the home page.`;
    },
  };
}

function campaignOf({ id, status }: z.infer<typeof broadcast>): Campaign {
  return { id, state: sent.includes(status) ? 'sent' : status };
}

/** Resend replaces what is in three braces, also in plain text, where nothing can escape them. */
function contentOf(mail: OutgoingMail, unsubscribe: string): { subject: string; html: string; text: string } {
  const apart = (given: string) => given.replace(/\{{3,}/g, (run) => run.split('').join(' '));
  const plain = apart(mail.text);
  const note = 'Some braces in this text are separated by spaces. The prompt as a file, linked below, is exact.\n\n';
  const text = plain === mail.text ? plain : `${note}${plain}`;
  const { subject, ...filled } = withUnsubscribe({ ...mail, text }, unsubscribe);
  return { subject: apart(subject), html: filled.html, text: filled.text };
}
