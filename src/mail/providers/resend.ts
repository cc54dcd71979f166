import * as z from 'zod';
import { OperationError } from '../../lib/errors.ts';
import { type Answer, callsTo, field, ProviderFailed, type ProviderTools, secretsOf } from '../calls.ts';
import {
  type Campaign,
  type CampaignService,
  created,
  type OutgoingMail,
  pagesOf,
  type ServiceTools,
  serviceCalls,
  status,
  withState,
  withUnsubscribe,
} from '../campaign.ts';
import type { ListName, SubscriberProvider } from '../provider.ts';
import { apiKey, baseAddress, listsOf, variable } from '../settings.ts';

const segmentId = variable(
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  'the id of a segment, such as 78261eea-8f8b-4381-83c6-79fa7120f1cf',
);
const property = variable(/^\w{1,50}$/, 'the key of a contact property: up to 50 letters, digits and _');

/** The address of the API without the path /contacts, the segment of each list, and the contact property for notes or null. */
const settings = z
  .object({
    URL: baseAddress.default('https://api.resend.com'),
    KEY: apiKey,
    LIST_DAILY: segmentId,
    LIST_PRO: segmentId,
    LIST_CUSTOM: segmentId,
    NOTE_PROPERTY: property.optional(),
  })
  .transform(({ URL, KEY, NOTE_PROPERTY = null, ...ids }) => ({
    provider: 'resend' as const,
    url: URL,
    key: KEY,
    lists: listsOf(ids),
    noteProperty: NOTE_PROPERTY,
  }));

type ResendSettings = z.infer<typeof settings>;

/**
 * Stores subscribers at Resend: creates a contact, then adds it to the segment of the list
 * (https://resend.com/docs/api-reference/contacts/create-contact).
 *
 * A separate call sets the note. So only the address in the first call comes from the reader, a validation error there
 * means the address, and the note of a known contact is stored too.
 */
function subscribers(
  { url, key, lists, noteProperty }: ResendSettings,
  { log, ...tools }: ProviderTools,
): SubscriberProvider {
  const provider = 'resend';
  const headers = { authorization: `Bearer ${key}` };
  return {
    name: provider,
    async add({ id, email, list, note }, signal) {
      const call = callsTo({ provider, headers, secrets: secretsOf(key, email, note), signal }, tools);
      const contact = `${url}/contacts/${encodeURIComponent(email)}`;
      const body = { email, unsubscribed: false };
      const answer = await call({ step: 'create', method: 'POST', url: `${url}/contacts`, body });
      if (!answer.ok && !alreadyThere(answer)) {
        if (blamesAddress(answer)) return 'invalid';
        throw answer.failure();
      }

      if (note && noteProperty !== null) {
        const properties = { [noteProperty]: note };
        const described = await call({ step: 'note', method: 'PATCH', url: contact, body: { properties } });
        if (!described.ok) throw described.failure();
      } else if (note) {
        log.warn(
          { provider, subscription: id },
          'The note of a subscription was not passed on. To pass notes on, set CATALOG_SIGNUPS_NOTE_PROPERTY.',
        );
      }

      const segment = `${contact}/segments/${encodeURIComponent(lists[list])}`;
      const joined = await call({ step: 'segment', method: 'POST', url: segment });
      if (joined.ok) return 'accepted';
      throw joined.failure();
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

const broadcast = z
  .object({ id: z.string(), name: z.string().nullish(), status, segment_id: z.string().nullish() })
  .transform(withState(['queued', 'scheduled', 'sent']));

/** Sends broadcasts with Resend to the segment of a list (resend.com/docs/api-reference/broadcasts). */
function campaigns(
  { url, key, lists }: Pick<ResendSettings, 'url' | 'key' | 'lists'>,
  { list, from, home }: { list: ListName; from: string; home: string },
  tools: ServiceTools,
): CampaignService {
  const call = serviceCalls('resend', key, { authorization: `Bearer ${key}` }, tools);
  const segment = lists[list];
  const broadcastAt = (id: string) => `${url}/broadcasts/${encodeURIComponent(id)}`;
  return {
    name: 'Resend',
    async audience() {
      const address = `${url}/segments/${segment}`;
      const shape = z.object({ name: z.string() });
      const details = await call({ step: 'segment', method: 'GET', url: address }, shape).catch((error) => {
        if (!(error instanceof ProviderFailed) || error.status !== 404) throw error;
        throw new OperationError(`Resend has no segment ${segment}, so nothing was sent.`, { cause: error });
      });
      return `the segment ${JSON.stringify(details.name)} (${segment})`;
    },
    async find(label) {
      const campaigns: Campaign[] = [];
      const first = `${url}/broadcasts?limit=100`;
      const page = z.object({ has_more: z.boolean().optional(), data: z.array(broadcast) }).transform((broadcasts) => {
        const last = broadcasts.has_more === true ? broadcasts.data.at(-1) : undefined;
        return { ...broadcasts, next: last && `${first}&after=${encodeURIComponent(last.id)}` };
      });
      for await (const { data } of pagesOf(call, first, page))
        campaigns.push(...data.filter(({ name }) => name === label));
      return campaigns;
    },
    async store(label, mail, id) {
      const body = { name: label, segment_id: segment, from, ...contentOf(mail, '{{{RESEND_UNSUBSCRIBE_URL}}}') };
      const place = { method: 'PATCH', url: broadcastAt(id ?? '') } as const;
      const draft = id === undefined ? ({ method: 'POST', url: `${url}/broadcasts` } as const) : place;
      return (await call({ step: 'store', ...draft, body }, created)).id;
    },
    async read(id) {
      const stored = await call({ step: 'read', method: 'GET', url: broadcastAt(id) }, broadcast);
      if (stored.segment_id != null && stored.segment_id !== segment) {
        throw new OperationError(`The broadcast ${id} at Resend is for another segment, so it was not sent.`);
      }
      return stored;
    },
    send: async (id) => void (await call({ step: 'send', method: 'POST', url: `${broadcastAt(id)}/send`, body: {} })),
    async test(_key, mail, address) {
      const body = { from, to: [address], ...contentOf(mail, home) };
      await call({ step: 'test', method: 'POST', url: `${url}/emails`, body });
      return `Resend sends the email to ${address}. Its link to unsubscribe only opens the home page.`;
    },
  };
}

/** Resend replaces what is in three braces, also in plain text, where nothing can escape them. */
function contentOf(mail: OutgoingMail, unsubscribe: string): { subject: string; html: string; text: string } {
  const apart = (content: string) => content.replace(/\{{3,}/g, (run) => run.split('').join(' '));
  const plain = apart(mail.text);
  const note = 'Some braces in this text are separated by spaces. The prompt as a file, linked below, is exact.\n\n';
  const text = plain === mail.text ? plain : `${note}${plain}`;
  const { subject, ...filled } = withUnsubscribe({ ...mail, text }, unsubscribe);
  return { subject: apart(subject), html: filled.html, text: filled.text };
}

export const resend = { settings, subscribers, campaigns };
