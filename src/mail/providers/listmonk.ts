import * as z from 'zod';
import { OperationError } from '../../lib/errors.ts';
import { type Call, callsTo, field, ProviderFailed, type ProviderTools, secretsOf } from '../calls.ts';
import {
  type CampaignService,
  type OutgoingMail,
  type ServiceTools,
  serviceCalls,
  status,
  withState,
  withUnsubscribe,
} from '../campaign.ts';
import type { ListName, SubscriberProvider, Subscription } from '../provider.ts';
import { baseAddress, listsOf, variable } from '../settings.ts';

const userAndToken = variable(/^[\x21-\x39\x3b-\x7e]+:[\x21-\x7e]+$/, 'user:token of an API user, without spaces');
const listNumber = variable(/^[1-9]\d{0,8}$/, 'the number of a list, such as 1').transform(Number);

type Calls = ReturnType<typeof callsTo>;

/** The address of the installation, an API user with its token, and the numeric id of each list. */
const settings = z
  .object({
    URL: baseAddress,
    KEY: userAndToken,
    LIST_DAILY: listNumber,
    LIST_PRO: listNumber,
    LIST_CUSTOM: listNumber,
  })
  .transform(({ URL, KEY, ...ids }) => ({ provider: 'listmonk' as const, url: URL, key: KEY, lists: listsOf(ids) }));

type ListmonkSettings = z.infer<typeof settings>;

/**
 * Stores subscribers in listmonk (https://listmonk.app/docs/apis/subscribers).
 *
 * listmonk refuses a known address with 409 and adds it to no list. So the address is looked up, added to the list if it
 * is not on it, and sent the confirmation email of a list with double opt-in. The note of a known address is not stored,
 * since no call sets one attribute and leaves the others.
 */
function subscribers({ url, key, lists }: ListmonkSettings, { log, ...tools }: ProviderTools): SubscriberProvider {
  const provider = 'listmonk';
  const token = key.slice(key.indexOf(':') + 1);
  const headers = { authorization: `token ${key}` };
  const request = (step: string, method: Call['method'], path: string, body?: object) =>
    ({ step, method, url: `${url}/api/subscribers${path}`, body }) as const;

  async function join({ id, email, list, note }: Subscription, call: Calls): Promise<void> {
    const existing = await find(email, call);
    if (note)
      log.warn(
        { provider, subscription: id },
        'The note of a subscription was not stored: the address was already known.',
      );
    if (existing.status === 'blocklisted') return;
    const state = existing.lists?.find((each) => each.id === lists[list])?.subscription_status;
    if (state === 'confirmed') return;
    if (state !== 'unconfirmed') {
      const target = { ids: [existing.id], action: 'add', target_list_ids: [lists[list]], status: 'unconfirmed' };
      await expectSuccess(call, request('add to list', 'PUT', '/lists', target));
    }
    await expectSuccess(call, request('confirmation', 'POST', `/${existing.id}/optin`));
  }

  async function find(email: string, call: Calls): Promise<z.infer<typeof subscriber>> {
    // The search is for a regular expression.
    const pattern = email.replace(/[+*?^$()[\]{}|\\]/g, '\\$&');
    const search = request('look up', 'GET', `?search=${encodeURIComponent(pattern)}&per_page=100`);
    const answer = await expectSuccess(call, { ...search, read: true });
    const match = subscriberPage
      .safeParse(answer.body)
      .data?.data.results.find((each) => each.email.toLowerCase() === email.toLowerCase());
    if (match === undefined) throw answer.failure();
    return match;
  }

  return {
    name: provider,
    async add(subscription, signal) {
      const { email, list, note } = subscription;
      const call = callsTo({ provider, headers, secrets: secretsOf(key, token, email, note), signal }, tools);
      const body = {
        email,
        name: email.slice(0, email.lastIndexOf('@')),
        status: 'enabled',
        lists: [lists[list]],
        attribs: { source: 'catalog', note },
        preconfirm_subscriptions: false,
      };
      const answer = await call(request('create', 'POST', '', body));
      // The page of a proxy has no message, and says nothing about the address.
      const isOwn = typeof field(answer.body, 'message') === 'string';
      if (answer.status === 409) await join(subscription, call);
      else if (isOwn && answer.status === 400) return 'invalid';
      else if (!answer.ok) throw answer.failure();
      return 'accepted';
    },
  };
}

/** A known subscriber. The status on a list is `confirmed`, `unconfirmed` or `unsubscribed`. */
const subscriber = z.object({
  id: z.number(),
  email: z.string(),
  status: z.unknown(),
  lists: z.array(z.object({ id: z.unknown(), subscription_status: z.unknown() })).nullish(),
});
const subscriberPage = z.object({ data: z.object({ results: z.array(subscriber) }) });

async function expectSuccess(send: Calls, call: Call) {
  const answer = await send(call);
  if (!answer.ok) throw answer.failure();
  return answer;
}

const name = 'listmonk';

const campaign = z
  .object({
    id: z.int().transform(String),
    name: z.string(),
    status,
    lists: z.array(z.object({ id: z.int() })),
  })
  .transform(withState(['scheduled', 'running', 'finished']));
const campaignAnswer = z.object({ data: campaign });
const campaignsAnswer = z.object({ data: z.object({ results: z.array(campaign) }) });
const template = z.object({ data: z.object({ body: z.string() }) });
const listName = z.object({ data: z.object({ name: z.string() }) });

/** Sends campaigns with listmonk to the list of a list (listmonk.app/docs/apis/campaigns). */
function campaigns(
  { url, key, lists }: ListmonkSettings,
  { list, templateId }: { list: ListName; templateId: number },
  tools: ServiceTools,
): CampaignService {
  const headers = { authorization: `Basic ${Buffer.from(key).toString('base64')}` };
  const call = serviceCalls(name, key, headers, tools);
  const number = lists[list];
  const campaignsUrl = `${url}/api/campaigns`;
  const content = (label: string, mail: OutgoingMail) => {
    const link = '{{ UnsubscribeURL }}';
    const { html } = withUnsubscribe({ ...mail, html: mail.html.replace(trackLink, '&#64;TrackLink') }, link);
    const text = mail.text.split(mail.mark).map(goLiteral).join(link);
    return {
      ...{ name: label, subject: goText(mail.subject), lists: [number], type: 'regular', messenger: 'email' },
      ...{ content_type: 'html', template_id: templateId, tags: ['catalog'], headers: [{ 'X-Catalog-Key': label }] },
      ...{ body: html, altbody: text },
    };
  };

  async function store(label: string, mail: OutgoingMail, id?: string): Promise<string> {
    const body = content(label, mail);
    const place = { method: 'PUT', url: `${campaignsUrl}/${id}` } as const;
    const draft = id === undefined ? ({ method: 'POST', url: campaignsUrl } as const) : place;
    return (await call({ step: 'store', ...draft, body }, campaignAnswer)).data.id;
  }

  /** listmonk's own template counts who opens an email. */
  async function checkTemplate(): Promise<void> {
    const request = { step: 'template', method: 'GET', url: `${url}/api/templates/${templateId}` } as const;
    const { body } = (await call(request, template)).data;
    if (!/\{\{\s*template "content" \.\s*\}\}/.test(body) || /Track(?:View|Link)/.test(body)) {
      throw new OperationError(
        `Template ${templateId} (CATALOG_MAIL_TEMPLATE) has to be {{ template "content" . }} without TrackView and TrackLink, so nothing was sent.`,
      );
    }
  }

  return {
    name,
    async audience() {
      const request = { step: 'list', method: 'GET', url: `${url}/api/lists/${number}` } as const;
      const { data } = await call(request, listName).catch((error) => {
        if (!(error instanceof ProviderFailed) || ![400, 404].includes(error.status ?? 0)) throw error;
        throw new OperationError(`listmonk has no list ${number}, so nothing was sent.`, { cause: error });
      });
      await checkTemplate();
      return `the list ${JSON.stringify(data.name)} (${number})`;
    },
    async find(label) {
      // Its search is for words or parts of names, and fails with status 500 at a colon: so this is for the day or week.
      const query = `query=${encodeURIComponent(label.replace(/^.*:/, ''))}&no_body=true&per_page=all`;
      const { data } = await call({ step: 'find', method: 'GET', url: `${campaignsUrl}?${query}` }, campaignsAnswer);
      // It finds parts of names too.
      return data.results.filter((each) => each.name === label);
    },
    store,
    async read(id) {
      const { data } = await call({ step: 'read', method: 'GET', url: `${campaignsUrl}/${id}` }, campaignAnswer);
      if (data.lists.length !== 1 || data.lists[0]?.id !== number) {
        throw new OperationError(`The campaign ${id} at listmonk is not for list ${number} alone, so it was not sent.`);
      }
      return data;
    },
    async send(id) {
      await call({ step: 'start', method: 'PUT', url: `${campaignsUrl}/${id}/status`, body: { status: 'running' } });
    },
    async test(label, mail, address) {
      const id = await store(`${label}:test`, mail);
      const body = { ...content(`${label}:test`, mail), subscribers: [address] };
      await call({ step: 'test', method: 'POST', url: `${campaignsUrl}/${id}/test`, body });
      return `listmonk sends the email to ${address}, which has to be a subscriber. Its draft ${id} stays there.`;
    },
  };
}

/** listmonk counts who opens an address that ends with this. */
const trackLink = /@TrackLink/g;

/** Escapes a subject for the templates of Go. */
function goText(text: string): string {
  return text.replaceAll('{{', '{{ "{{" }}').replace(trackLink, '@{{ "TrackLink" }}');
}

/**
 * Writes plain text as one literal of the templates of Go. listmonk takes the template for HTML, and would send no email if
 * a prompt has, for example, `<name: "...">`.
 */
function goLiteral(text: string): string {
  const literal = JSON.stringify(text).replaceAll('{', '\\u007b').replaceAll('@', '\\u0040');
  return `{{ Safe ${literal} }}`;
}

export const listmonk = { settings, subscribers, campaigns };
