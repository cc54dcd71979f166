import { Calls, type CallTools, field } from './calls.ts';
import type { ListName, SubscriberProvider } from './provider.ts';
import { secretsOf } from './safe-errors.ts';

export interface ButtondownSettings {
  /** The address of the API, without the path /v1/subscribers. */
  url: string;
  key: string;
  /** The tag of each list. */
  lists: Record<ListName, string>;
}

const existing = ['email_already_exists', 'subscriber_already_exists'];
const blocked = ['email_blocked', 'subscriber_blocked', 'subscriber_suppressed', 'firewall_blocked'];
const invalid = ['email_invalid', 'email_empty'];

/**
 * Stores subscribers at Buttondown, with a tag for each list (https://docs.buttondown.com/api-subscribers-create).
 *
 * A known address gets the tag added. New ones are `unactivated`: only a confirmed email brings back a reader who left,
 * not someone else who types the address.
 */
export function createButtondown({ url, key, lists }: ButtondownSettings, tools: CallTools): SubscriberProvider {
  const provider = 'buttondown';
  return {
    name: provider,
    async add({ email, list, note }, signal) {
      const calls = new Calls({ provider, secrets: secretsOf(key, email, note), signal }, tools);
      const call = {
        step: 'create',
        method: 'POST',
        url: `${url}/v1/subscribers`,
        headers: { authorization: `Token ${key}`, 'x-buttondown-collision-behavior': 'add' },
        body: JSON.stringify({
          email_address: email,
          type: 'unactivated',
          tags: [lists[list]],
          notes: note,
        }),
      } as const;
      const answer = await calls.send(call);
      if (answer.ok || answer.status === 409) return 'accepted';
      const code = field(answer.body, 'code');
      if (answer.status === 400 && [...existing, ...blocked].some((known) => known === code)) return 'accepted';
      if (answer.status === 400 && invalid.some((known) => known === code)) return 'invalid';
      if (answer.status === 422 && blamesAddress(answer.body)) return 'invalid';
      throw calls.refused(call, answer, code);
    },
  };
}

/** A 422 lists the invalid fields in `detail`, each with its path: `loc: ['body', 'input', 'email_address']`. */
function blamesAddress(body: unknown): boolean {
  const detail = field(body, 'detail');
  if (!Array.isArray(detail) || detail.length === 0) return false;
  return detail.every((error) => {
    const path = field(error, 'loc');
    return Array.isArray(path) && path.at(-1) === 'email_address';
  });
}
