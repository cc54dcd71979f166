import { type Call, Calls, type CallTools, field } from './calls.ts';
import type { ListName, SubscriberLog, SubscriberProvider, Subscription } from './provider.ts';
import { secretsOf } from './safe-errors.ts';

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
