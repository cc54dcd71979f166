import { type Answer, Calls, type CallTools, field } from './calls.ts';
import type { ListName, SubscriberLog, SubscriberProvider } from './provider.ts';
import { secretsOf } from './safe-errors.ts';

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
