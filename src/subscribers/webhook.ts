import { createHmac } from 'node:crypto';
import { Calls, type CallTools } from './calls.ts';
import type { SubscriberProvider } from './provider.ts';
import { secretsOf } from './safe-errors.ts';

export interface WebhookSettings {
  /** The whole address that receives subscriptions. */
  url: string;
  /** The secret that signs them. */
  key: string;
}

/**
 * Sends each subscription as JSON `{id, time, email, list, note}` with `X-Catalog-Signature: sha256=<hex>`, the
 * HMAC-SHA-256 of the body's bytes. Any 2xx means that it is stored. A repeated call has the same `id` and bytes.
 */
export function createWebhook({ url, key }: WebhookSettings, tools: CallTools): SubscriberProvider {
  const provider = 'webhook';
  const { pathname, search } = new URL(url);
  return {
    name: provider,
    async add({ id, time, email, list, note }, signal) {
      const secrets = secretsOf(key, email, note, pathname === '/' ? undefined : pathname, search);
      const calls = new Calls({ provider, secrets, signal }, tools);
      const body = JSON.stringify({ id, time, email, list, note });
      const headers = { 'x-catalog-signature': `sha256=${createHmac('sha256', key).update(body).digest('hex')}` };
      const call = { step: 'deliver', method: 'POST', url, headers, body } as const;
      const answer = await calls.send(call);
      if (answer.ok) return 'accepted';
      throw calls.refused(call, answer);
    },
  };
}
