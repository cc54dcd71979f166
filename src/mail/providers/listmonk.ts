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
  type Call,
  Calls,
  type CallTools,
  field,
  type ListName,
  type SubscriberLog,
  type SubscriberProvider,
  type Subscription,
} from '../provider.ts';

export interface ListmonkSettings {
  /** The address of the installation. */
  url: string;
  /** An API user and its token: `user:token`. */
  key: string;
  /** The numeric id of each list. */
  lists: Record<ListName, number>;
}

/**
 * Stores subscribers in listmonk (https://listmonk.app/docs/apis/subscribers).
 *
 * listmonk refuses a known address with 409 and adds it to no list. So the address is looked up, added to the list if it
 * is not on it, and sent the confirmation email of a list with double opt-in. The note of a known address is not stored,
 * since no call sets one attribute and leaves the others.
 */
export function createListmonk(
  { url, key, lists }: ListmonkSettings,
  log: SubscriberLog,
  tools: CallTools,
): SubscriberProvider {
  const provider = 'listmonk';
  const token = key.slice(key.indexOf(':') + 1);
  const request = (step: string, method: Call['method'], path: string, body?: unknown): Call => ({
    step,
    method,
    url: `${url}/api/subscribers${path}`,
    headers: { authorization: `token ${key}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

  async function join({ id, email, list, note }: Subscription, calls: Calls): Promise<void> {
    const known = await find(email, calls);
    if (note)
      log.warn(
        { provider, subscription: id },
        'The note of a subscription was not stored: the address was already known.',
      );
    if (known.status === 'blocklisted') return;
    const status = known.lists.get(lists[list]);
    if (status === 'confirmed') return;
    if (status !== 'unconfirmed') {
      const target = { ids: [known.id], action: 'add', target_list_ids: [lists[list]], status: 'unconfirmed' };
      await expectSuccess(calls, request('add to list', 'PUT', '/lists', target));
    }
    await expectSuccess(calls, request('confirmation', 'POST', `/${known.id}/optin`));
  }

  async function find(email: string, calls: Calls): Promise<Known> {
    const call = {
      ...request('look up', 'GET', `?search=${encodeURIComponent(pattern(email))}&per_page=100`),
      read: true,
    };
    const answer = await expectSuccess(calls, call);
    const results = field(field(answer.body, 'data'), 'results');
    const found = Array.isArray(results) ? results.find((one) => isAddress(field(one, 'email'), email)) : undefined;
    const id = field(found, 'id');
    if (typeof id !== 'number') throw calls.unreadable(call, answer);
    return { id, status: field(found, 'status'), lists: statusesIn(field(found, 'lists')) };
  }

  return {
    name: provider,
    async add(subscription, signal) {
      const { email, list, note } = subscription;
      const calls = new Calls({ provider, secrets: secretsOf(key, token, email, note), signal }, tools);
      const create = request('create', 'POST', '', {
        email,
        name: email.slice(0, email.lastIndexOf('@')),
        status: 'enabled',
        lists: [lists[list]],
        attribs: { source: 'catalog', note },
        preconfirm_subscriptions: false,
      });
      const answer = await calls.send(create);
      if (answer.status === 409) await join(subscription, calls);
      else if (isOwn(answer.body) && answer.status === 400) return 'invalid';
      else if (!answer.ok) throw calls.refused(create, answer);
      return 'accepted';
    },
  };
}

/** A known subscriber; `lists` leads from list ids to `confirmed`, `unconfirmed` or `unsubscribed`. */
interface Known {
  id: number;
  status: unknown;
  lists: Map<unknown, unknown>;
}

async function expectSuccess(calls: Calls, call: Call) {
  const answer = await calls.send(call);
  if (!answer.ok) throw calls.refused(call, answer);
  return answer;
}

/** Whether an answer is listmonk's own: it has a message. The page of a proxy has none and says nothing about the address. */
function isOwn(body: unknown): boolean {
  return typeof field(body, 'message') === 'string';
}

/** Escapes an address for the search, which is a regular expression. */
function pattern(email: string): string {
  return email.replace(/[+*?^$()[\]{}|\\]/g, '\\$&');
}

function isAddress(value: unknown, email: string): boolean {
  return typeof value === 'string' && value.toLowerCase() === email.toLowerCase();
}

function statusesIn(lists: unknown): Map<unknown, unknown> {
  return new Map(Array.isArray(lists) ? lists.map((one) => [field(one, 'id'), field(one, 'subscription_status')]) : []);
}

const name = 'listmonk';

const campaign = z.object({
  id: z.int(),
  name: z.string(),
  // It is printed if it is not known.
  status: z.string().max(40),
  lists: z.array(z.object({ id: z.int() })),
});
const one = z.object({ data: campaign });
const many = z.object({ data: z.object({ results: z.array(campaign) }) });
const template = z.object({ data: z.object({ body: z.string() }) });

/** What the states of a campaign mean. Any other, such as `paused`, needs a person: to resume may send mails again. */
const sent = ['scheduled', 'running', 'finished'];

/** Sends campaigns with listmonk to the list of a list (listmonk.app/docs/apis/campaigns). */
export function listmonk(
  { url, key, lists }: ListmonkSettings,
  { list, templateId }: { list: ListName; templateId: number },
  tools: ServiceTools,
): CampaignService {
  const headers = { authorization: `Basic ${Buffer.from(key).toString('base64')}` };
  const call = serviceCalls(name, key, headers, tools);
  const number = lists[list];
  const campaigns = `${url}/api/campaigns`;
  const content = (wanted: string, mail: OutgoingMail) => {
    const escaped = { ...mail, html: mail.html.replace(trackLink, '&#64;TrackLink'), text: goText(mail.text) };
    const { html, text } = withUnsubscribe(escaped, '{{ UnsubscribeURL }}');
    return {
      ...{ name: wanted, subject: goText(mail.subject), lists: [number], type: 'regular', messenger: 'email' },
      ...{ content_type: 'html', template_id: templateId, tags: ['catalog'], headers: [{ 'X-Catalog-Key': wanted }] },
      ...{ body: html, altbody: text },
    };
  };

  async function read(id: string | number): Promise<Campaign> {
    const { data } = parsed(name, one, await call({ step: 'read', method: 'GET', url: `${campaigns}/${id}` }));
    if (data.lists.length !== 1 || data.lists[0]?.id !== number) {
      throw new OperationError(`The campaign ${id} at listmonk is not for list ${number} alone, so it was not sent.`);
    }
    return campaignOf(data);
  }

  /** listmonk's own template counts who opens an email. */
  async function checkTemplate(): Promise<void> {
    const answer = await call({ step: 'template', method: 'GET', url: `${url}/api/templates/${templateId}` });
    const { body } = parsed(name, template, answer).data;
    if (!/\{\{\s*template "content" \.\s*\}\}/.test(body) || /Track(?:View|Link)/.test(body)) {
      throw new OperationError(
        `Template ${templateId} (CATALOG_MAIL_TEMPLATE) has to be {{ template "content" . }} without TrackView and TrackLink, so nothing was sent.`,
      );
    }
  }

  return {
    name,
    async audience() {
      const found = await call({ step: 'list', method: 'GET', url: `${url}/api/lists/${number}` }).catch((error) => {
        if (!(error instanceof ServiceFailed) || ![400, 404].includes(error.status ?? 0)) throw error;
        throw new OperationError(`listmonk has no list ${number}, so nothing was sent.`, { cause: error });
      });
      await checkTemplate();
      const { data } = parsed(name, z.object({ data: z.object({ name: z.string() }) }), found);
      return `the list ${JSON.stringify(data.name)} (${number})`;
    },
    async find(wanted) {
      const query = `query=${encodeURIComponent(wanted)}&no_body=true&per_page=all`;
      const answer = await call({ step: 'find', method: 'GET', url: `${campaigns}?${query}` });
      // It finds parts of names too.
      return parsed(name, many, answer)
        .data.results.filter((each) => each.name === wanted)
        .map(campaignOf);
    },
    async create(wanted, mail) {
      const body = content(wanted, mail);
      return String(parsed(name, one, await call({ step: 'create', method: 'POST', url: campaigns, body })).data.id);
    },
    read,
    async send(id) {
      await call({ step: 'start', method: 'PUT', url: `${campaigns}/${id}/status`, body: { status: 'running' } });
    },
    async test(wanted, mail, address) {
      const body = content(`${wanted}:test`, mail);
      const { id } = parsed(name, one, await call({ step: 'create', method: 'POST', url: campaigns, body })).data;
      await call({
        step: 'test',
        method: 'POST',
        url: `${campaigns}/${id}/test`,
        body: { ...body, subscribers: [address] },
      });
      return `listmonk sends the email to ${address}, which has to be a subscriber. Its draft ${id} stays there.`;
    },
  };
}

function campaignOf({ id, status }: z.infer<typeof campaign>): Campaign {
  return { id: String(id), state: sent.includes(status) ? 'sent' : status };
}

/** listmonk counts who opens an address that ends with this. */
const trackLink = /@TrackLink/g;

/** Escapes plain text for the templates of Go. */
function goText(text: string): string {
  return text.replaceAll('{{', '{{ "{{" }}').replace(trackLink, '@{{ "TrackLink" }}');
}
