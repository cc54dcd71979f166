import * as z from 'zod';
import { addDays } from '../../lib/calendar.ts';
import { OperationError } from '../../lib/errors.ts';
import { type CallTools, callsTo, field, secretsOf } from '../calls.ts';
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

const tag = variable(/^[^\p{Cc}]{1,100}$/u, 'a tag of 1 to 100 characters');

/** The address of the API without the path /v1/subscribers, and the tag of each list. */
const settings = z
  .object({
    URL: baseAddress.default('https://api.buttondown.com'),
    KEY: apiKey,
    LIST_DAILY: tag.default('daily'),
    LIST_PRO: tag.default('pro'),
    LIST_CUSTOM: tag.default('custom'),
  })
  .transform(({ URL, KEY, ...ids }) => ({ provider: 'buttondown' as const, url: URL, key: KEY, lists: listsOf(ids) }));

type ButtondownSettings = z.infer<typeof settings>;

/** The codes of errors for an address that is known, or that Buttondown blocks. */
const accepted = /^(?:(?:email|subscriber)_(?:already_exists|blocked)|subscriber_suppressed|firewall_blocked)$/;
const invalid = /^email_(?:invalid|empty)$/;

/**
 * Stores subscribers at Buttondown, with a tag for each list (https://docs.buttondown.com/api-subscribers-create).
 *
 * A known address gets the tag added. New ones are `unactivated`: only a confirmed email brings back a reader who left,
 * not someone else who types the address.
 */
function subscribers({ url, key, lists }: ButtondownSettings, tools: CallTools): SubscriberProvider {
  const provider = 'buttondown';
  const headers = { authorization: `Token ${key}`, 'x-buttondown-collision-behavior': 'add' };
  return {
    name: provider,
    async add({ email, list, note }, signal) {
      const call = callsTo({ provider, headers, secrets: secretsOf(key, email, note), signal }, tools);
      const body = { email_address: email, type: 'unactivated', tags: [lists[list]], notes: note };
      const answer = await call({ step: 'create', method: 'POST', url: `${url}/v1/subscribers`, body });
      if (answer.ok || answer.status === 409) return 'accepted';
      const code = String(field(answer.body, 'code'));
      if (answer.status === 400 && accepted.test(code)) return 'accepted';
      if (answer.status === 400 && invalid.test(code)) return 'invalid';
      if (answer.status === 422 && addressErrors.safeParse(answer.body).success) return 'invalid';
      throw answer.failure();
    },
  };
}

/** A 422 lists the invalid fields, each with its path: `loc: ['body', 'input', 'email_address']`. */
const addressErrors = z.object({
  detail: z.array(z.object({ loc: z.array(z.unknown()).refine((path) => path.at(-1) === 'email_address') })).min(1),
});

const tagPage = z.object({
  results: z.array(z.object({ id: z.string(), name: z.string() })),
  next: z.string().nullish(),
});
const email = z
  .object({
    id: z.string(),
    status,
    metadata: z.record(z.string(), z.unknown()).nullish(),
    filters: z.object({ filters: z.array(z.object({ field: z.string(), value: z.unknown() })) }).nullish(),
  })
  .transform(withState(['scheduled', 'about_to_send', 'in_flight', 'throttled', 'sent', 'resending']));
const emails = z.object({ results: z.array(email), next: z.string().nullish() });

/**
 * Sends with Buttondown to the subscribers with the tag of a list (docs.buttondown.com/api-emails-create). Its emails are
 * templates, in which braces are replaced, and it has no place for plain text.
 */
function campaigns({ url, key, lists }: ButtondownSettings, list: ListName, tools: ServiceTools): CampaignService {
  const headers = { authorization: `Token ${key}`, 'x-api-version': '2026-04-01' };
  const call = serviceCalls('buttondown', key, headers, tools);
  const drafts = { method: 'POST', url: `${url}/v1/emails` } as const;
  const emailAt = (id: string) => `${url}/v1/emails/${encodeURIComponent(id)}`;

  /** The id of the tag. A filter by a name, or none, would send the email to everyone. */
  async function tagId(): Promise<string> {
    for await (const { results } of pagesOf(call, `${url}/v1/tags`, tagPage)) {
      const tag = results.find((each) => each.name === lists[list]);
      if (tag !== undefined) return tag.id;
    }
    throw new OperationError(`Buttondown has no tag ${JSON.stringify(lists[list])}, so nothing was sent.`);
  }

  return {
    name: 'Buttondown',
    audience: async () => `subscribers with the tag ${JSON.stringify(lists[list])} (${await tagId()})`,
    async find(label, day) {
      const campaigns: Campaign[] = [];
      // Some days earlier, since its clock and time zone are not ours.
      const first = `${url}/v1/emails?source=api&creation_date__start=${addDays(day, -7)}`;
      for await (const { results } of pagesOf(call, first, emails))
        campaigns.push(...results.filter(({ metadata }) => metadata?.catalog_key === label));
      return campaigns;
    },
    store: async (label, mail, id) => {
      const place = { method: 'PATCH', url: emailAt(id ?? '') } as const;
      return storeDraft(call, id === undefined ? drafts : place, label, mail, await tagId());
    },
    async read(id) {
      const stored = await call({ step: 'read', method: 'GET', url: emailAt(id) }, email);
      const [filter, ...more] = stored.filters?.filters ?? [];
      if (filter?.field !== 'subscriber.tags' || uuidOf(filter.value) !== uuidOf(await tagId()) || more.length > 0) {
        throw new OperationError(
          `The email ${id} at Buttondown has different filters than the list, so it was not sent.`,
        );
      }
      return stored;
    },
    send: async (id) => void (await call({ step: 'publish', method: 'POST', url: `${emailAt(id)}/publish`, body: {} })),
    async test(label, mail, address) {
      const id = await storeDraft(call, drafts, `${label}:test`, mail, await tagId());
      const body = { recipients: [address] };
      await call({ step: 'test', method: 'POST', url: `${emailAt(id)}/send-draft`, body });
      return `Buttondown sends a preview to ${address}. It has no header List-Unsubscribe. Its draft ${id} stays there.`;
    },
  };
}

const base32 = '0123456789abcdefghjkmnpqrstvwxyz';

/** The digits of a UUID, which Buttondown also writes as a TypeID: in base 32 after the kind, such as `sub_tag_`. */
function uuidOf(id: unknown): string {
  const text = String(id).replace(/^.*_|-/g, '');
  if (!/^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text)) return text;
  const bits = [...text].reduce((sum, digit) => sum * 32n + BigInt(base32.indexOf(digit)), 0n);
  return bits.toString(16).padStart(32, '0');
}

/** Stores a new draft, or the email in a draft. A status would change one that is being sent by now. */
async function storeDraft(
  call: ReturnType<typeof serviceCalls>,
  place: { method: 'POST' | 'PATCH'; url: string },
  key: string,
  mail: OutgoingMail,
  tag: string,
): Promise<string> {
  const { html, subject } = withUnsubscribe(mail, '{{ unsubscribe_url }}');
  const body = {
    subject: subject.replace(/\{(?=[{%#])/g, '{ '),
    // The comment selects the editor that takes HTML.
    body: `<!-- buttondown-editor-mode: fancy -->\n${html.replace(/^[\s\S]*?<body[^>]*>|<\/body>[\s\S]*$/g, '')}`,
    ...(place.method === 'POST' && { status: 'draft' }),
    metadata: { catalog_key: key },
    filters: {
      predicate: 'and',
      groups: [],
      filters: [{ field: 'subscriber.tags', operator: 'contains', value: tag }],
    },
  };
  return (await call({ step: 'store', ...place, body }, created)).id;
}

export const buttondown = { settings, subscribers, campaigns };
