import { createHmac } from 'node:crypto';
import { OperationError } from '../../errors.ts';
import { ServiceFailed, type ServiceTools, serviceCalls } from '../service-calls.ts';
import { type Sender, type Subject, withUnsubscribe } from './sender.ts';

/** How often an announcement is posted before it counts as failed. */
const attempts = 3;

/**
 * Posts an announcement as JSON, without any address, with `X-Catalog-Signature: sha256=<hex>`, the HMAC-SHA-256 of the body.
 * The receiver sends it. Any 2xx means that it will, and it ignores an `id` that it had before: so a post may be repeated.
 */
export function webhook(
  { url, key }: { url: string; key: string },
  { now, pause, ...tools }: ServiceTools & Required<Pick<ServiceTools, 'now' | 'pause'>>,
): Sender {
  const call = serviceCalls('webhook', key, {}, { timeoutMs: 10_000, now, pause, ...tools });
  const { host } = new URL(url);

  async function post(type: string, id: string, { list, agent, mail }: Subject): Promise<void> {
    const { subject, preheader, html, text } = withUnsubscribe(mail, '{{unsubscribe_url}}');
    const time = new Date(now()).toISOString();
    const body = JSON.stringify({ type, id, time, list, issue: agent, mail: { subject, preheader, html, text } });
    const headers = { 'x-catalog-signature': `sha256=${createHmac('sha256', key).update(body).digest('hex')}` };
    for (let attempt = 1; ; attempt += 1) {
      try {
        await call({ step: type, method: 'POST', url, headers, body, repeats: true });
        return;
      } catch (error) {
        if (!(error instanceof ServiceFailed) || error.refused || attempt === attempts) throw error;
        await pause(attempt * 1000);
      }
    }
  }

  return {
    name: 'webhook',
    audience: async () => `${host}, which knows the readers`,
    isSent: async () => false,
    async send(subject, claim) {
      await claim.record({ type: 'sending' });
      try {
        await post(`announce.${subject.kind}`, subject.key, subject);
      } catch (error) {
        if (error instanceof ServiceFailed && error.refused) await claim.record({ type: 'unsent' });
        const { message } = error as Error;
        throw error instanceof ServiceFailed
          ? new OperationError(`The announcement was not accepted: ${message} Run this command again.`, {
              cause: error,
            })
          : error;
      }
      await claim.record({ type: 'sent' });
      return { outcome: 'sent', message: `${host} accepted the announcement.` };
    },
    async test(subject, address) {
      await post('announce.test', `${subject.key}:test:${now()}`, subject);
      return `${host} accepted the announcement as a test. It does not learn the address ${address}.`;
    },
  };
}
