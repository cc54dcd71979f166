import { type Call, Calls, type CallTools, field } from './calls.ts';
import type { ListName, Signup, SignupLog, SignupProvider } from './provider.ts';
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
 * Stores sign-ups in listmonk (https://listmonk.app/docs/apis/subscribers).
 *
 * A known address is refused with 409 and joins no list by that; so it is looked up, added to the list where it is not
 * on it, and sent the mail that a list with double opt-in asks to be confirmed. The note of a known address is not
 * stored: there is no call that sets one attribute and leaves the others.
 */
export function createListmonk(
  { url, key, lists }: ListmonkSettings,
  log: SignupLog,
  tools: CallTools,
): SignupProvider {
  const provider = 'listmonk';
  const token = key.slice(key.indexOf(':') + 1);
  const request = (step: string, method: Call['method'], path: string, body?: unknown): Call => ({
    step,
    method,
    url: `${url}/api/subscribers${path}`,
    headers: { authorization: `token ${key}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

  async function join({ id, email, list, note }: Signup, calls: Calls): Promise<void> {
    const known = await find(email, calls);
    if (note)
      log.warn({ provider, signup: id }, 'The note of a sign-up was not stored: the address was known already.');
    if (known.status === 'blocklisted') return;
    const standing = known.lists.get(lists[list]);
    if (standing === 'confirmed') return;
    if (standing !== 'unconfirmed') {
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
    return { id, status: field(found, 'status'), lists: standings(field(found, 'lists')) };
  }

  return {
    name: provider,
    async add(signup, signal) {
      const { email, list, note } = signup;
      const calls = new Calls({ provider, secrets: secretsOf(key, token, email, note), signal }, tools);
      const create = request('create', 'POST', '', {
        email,
        name: email.slice(0, email.lastIndexOf('@')),
        status: 'enabled',
        lists: [lists[list]],
        attribs: { source: 'catalog', ...(note === undefined ? {} : { note }) },
        preconfirm_subscriptions: false,
      });
      const answer = await calls.send(create);
      if (answer.status === 409) await join(signup, calls);
      else if (isOwn(answer.body) && answer.status === 400) return 'invalid';
      else if (!answer.ok) throw calls.refused(create, answer);
      return 'accepted';
    },
  };
}

/** A subscriber that exists: list id → `confirmed`, `unconfirmed` or `unsubscribed`. */
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

/** listmonk's own errors have a message; a proxy's page has none, and is no word on the address. */
function isOwn(body: unknown): boolean {
  return typeof field(body, 'message') === 'string';
}

/** The search is a regular expression: in it, the + of `ann+daily@` would stand for something else. */
function pattern(email: string): string {
  return email.replace(/[+*?^$()[\]{}|\\]/g, '\\$&');
}

function isAddress(value: unknown, email: string): boolean {
  return typeof value === 'string' && value.toLowerCase() === email.toLowerCase();
}

function standings(lists: unknown): Map<unknown, unknown> {
  return new Map(Array.isArray(lists) ? lists.map((one) => [field(one, 'id'), field(one, 'subscription_status')]) : []);
}
