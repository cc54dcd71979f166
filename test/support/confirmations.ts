import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { type Mailbox, type ReceivedMail, startMailbox } from './mailbox.ts';
import { type Answer, ask, postJson } from './requests.ts';
import { type Runtime, type RuntimeOptions, withRuntime } from './server.ts';

/** A server that asks readers to confirm by mail, and a real SMTP server that gets the mails. */

export const base = 'https://press.example';
export const ann = { email: 'Ann.Reader+news@example.com', list: 'daily' };
export const env = { CATALOG_MAIL_FROM: 'Agents & Co <daily@example.com>', CATALOG_MAIL_KEY: 'k'.repeat(32) };

export interface Tried extends Runtime {
  mailbox: Mailbox;
  subscribe(body?: unknown): Promise<Answer>;
  /** Requests the page of a link in a mail. */
  open(link: string, method?: string, body?: string): Promise<Answer>;
  /** The lines of the file, without ids. */
  stored(): Record<string, unknown>[];
}

export function withMails(
  work: (tried: Tried) => Promise<void>,
  options: RuntimeOptions = {},
  mails = {},
): Promise<void> {
  return startMailbox(mails).then(async (mailbox) => {
    try {
      await withRuntime({ ...options, env: { CATALOG_SMTP_URL: mailbox.url, ...env, ...options.env } }, (runtime) =>
        work({
          ...runtime,
          mailbox,
          subscribe: (body = ann) => postJson(runtime.server.address, '/api/subscribe', body),
          open(link, method = 'GET', body) {
            const { pathname, search } = new URL(link);
            const headers = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
            return ask(runtime.server.address, pathname + search, { method, headers, ...(body && { body }) });
          },
          stored: () =>
            readFileSync(join(runtime.data, 'signups.jsonl'), 'utf8')
              .split('\n')
              .filter((line) => line !== '')
              .map((line) => ({ ...JSON.parse(line), id: '' })),
        }),
      );
    } finally {
      await mailbox.close();
    }
  });
}

/** The link to confirm in a mail; the same in text and HTML. */
export function confirmLink({ text = '', html }: ReceivedMail): string {
  const [link = ''] = /^http\S+$/m.exec(text) ?? [];
  assert.match(String(html), `<a href="${link}" style=`);
  return link;
}

export const unsubscribeLink = ({ headers }: ReceivedMail) =>
  (headers.get('list') as unknown as { unsubscribe: { url: string } }).unsubscribe.url;

export const titleOf = ({ text }: Answer) => /<h1>(.*?)<\/h1>/.exec(text)?.[1];
export const says = ({ text }: Answer) => /<p class="standfirst">(.*?)<\/p>/.exec(text)?.[1];
