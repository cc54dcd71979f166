import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { OperationError } from '../../lib/errors.ts';
import { type CallTools, callsTo, ProviderFailed, secretsOf } from '../calls.ts';
import { type Sender, type ServiceTools, type Subject, serviceCalls, withUnsubscribe } from '../campaign.ts';
import type { SubscriberProvider } from '../provider.ts';
import { address } from '../settings.ts';

const secret = z.string({ error: 'the secret that signs each subscription' });

/** The whole address that receives subscriptions or announcements, and the secret that signs them. */
const settings = z
  .object({ URL: address, KEY: secret })
  .transform(({ URL, KEY }) => ({ provider: 'webhook' as const, url: URL, key: KEY }));

type WebhookSettings = z.infer<typeof settings>;

/** The body of a request, with the header that signs its bytes. */
function signed(value: object, key: string): { body: string; headers: Record<string, string> } {
  const body = JSON.stringify(value);
  return { body, headers: { 'x-catalog-signature': `sha256=${createHmac('sha256', key).update(body).digest('hex')}` } };
}

/** How often an announcement is posted before it counts as failed. */
const attempts = 3;

/**
 * Posts an announcement as JSON, without any address, with `X-Catalog-Signature: sha256=<hex>`, the HMAC-SHA-256 of the body.
 * The receiver sends it. Any 2xx means that it will, and it ignores an `id` that it had before: so a post may be repeated.
 */
function sender(
  { url, key }: WebhookSettings,
  { now, pause, ...tools }: ServiceTools & Required<Pick<ServiceTools, 'now' | 'pause'>>,
): Sender {
  const call = serviceCalls('webhook', key, {}, { timeoutMs: 10_000, now, pause, ...tools });
  const { host } = new URL(url);

  async function post(type: string, id: string, { list, agent, mail }: Subject): Promise<void> {
    const { subject, preheader, html, text } = withUnsubscribe(mail, '{{unsubscribe_url}}');
    const time = new Date(now()).toISOString();
    const request = signed({ type, id, time, list, issue: agent, mail: { subject, preheader, html, text } }, key);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return void (await call({ step: type, method: 'POST', url, ...request, repeats: true }));
      } catch (error) {
        if (!(error instanceof ProviderFailed) || error.isRefusal || attempt === attempts) throw error;
        await pause(attempt * 1000);
      }
    }
  }

  return {
    name: 'webhook',
    audience: async () => `${host}, which knows the readers`,
    isSent: async () => false,
    async send(subject, claim) {
      await claim.append({ type: 'sending' });
      try {
        await post(`announce.${subject.kind}`, subject.key, subject);
      } catch (error) {
        if (!(error instanceof ProviderFailed)) throw error;
        if (error.isRefusal) await claim.append({ type: 'unsent' });
        const message = `The announcement was not accepted: ${error.message} Run this command again.`;
        throw new OperationError(message, { cause: error });
      }
      await claim.append({ type: 'sent' });
      return { outcome: 'sent', message: `${host} accepted the announcement.` };
    },
    async test(subject, address) {
      await post('announce.test', `${subject.key}:test:${now()}`, subject);
      return `${host} accepted the announcement as a test. It does not learn the address ${address}.`;
    },
  };
}

/**
 * Sends each subscription as JSON `{id, time, email, list, note}` with `X-Catalog-Signature: sha256=<hex>`, the
 * HMAC-SHA-256 of the body's bytes. Any 2xx means that it is stored. A repeated call has the same `id` and bytes.
 */
function subscribers({ url, key }: WebhookSettings, tools: CallTools): SubscriberProvider {
  const provider = 'webhook';
  const { pathname, search } = new URL(url);
  return {
    name: provider,
    async add({ id, time, email, list, note }, signal) {
      const secrets = secretsOf(key, email, note, pathname === '/' ? undefined : pathname, search);
      const call = callsTo({ provider, headers: {}, secrets, signal }, tools);
      const request = signed({ id, time, email, list, note }, key);
      const answer = await call({ step: 'deliver', method: 'POST', url, ...request });
      if (answer.ok) return 'accepted';
      throw answer.failure();
    },
  };
}

export const webhook = { settings, subscribers, sender };
