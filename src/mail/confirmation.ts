import { setTimeout as sleep } from 'node:timers/promises';
import { type ConsentTools, confirmAddress, toAsk, unsubscribeAddress } from './consent.ts';
import type { ListName, SubscriberLog, SubscriptionRecord } from './provider.ts';
import type { Mail, Smtp, SmtpFailed } from './smtp.ts';

/** What a reader of each list asked for. */
const wishes: Record<ListName, (title: string) => string> = {
  daily: (title) => `to get one agent a day from ${title} by email`,
  pro: (title) => `to join the Pro waitlist of ${title}`,
  custom: (title) => `to ask ${title} for a custom agent`,
};

/** The title of the catalog, and the addresses of the two pages. */
export interface ConfirmationLinks {
  title: string;
  confirm: string;
  unsubscribe: string;
}

/** The mail that asks an address to confirm its subscription. */
export function confirmationMail(
  { email, list }: Pick<SubscriptionRecord, 'email' | 'list'>,
  { title, confirm, unsubscribe }: ConfirmationLinks,
): Mail {
  const asked = `Someone entered this address ${wishes[list](title)}.`;
  const what = 'To confirm, open this page within seven days and press the button:';
  const otherwise = 'If it was not you, ignore this email: without your confirmation, you are not subscribed.';
  const html = [
    escapeHtml(asked),
    `${what}<br><a href="${escapeHtml(confirm)}">Confirm your subscription</a>`,
    otherwise,
  ].map((text) => `<p>${text}</p>`);
  return {
    to: email,
    subject: `Confirm your subscription to ${title}`,
    text: `${asked}\n\n${what}\n${confirm}\n\n${otherwise}\n`,
    html: `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>\n<body>\n${html.join('\n')}\n</body></html>\n`,
    unsubscribe,
  };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.codePointAt(0)};`);
}

/** Sends mails that ask readers to confirm their subscriptions. */
export interface Confirmations {
  /**
   * Asks the address of a stored subscription, unless it is asked too often. Returns at once, so that an answer to a reader
   * takes as long for a known address as for a new one.
   */
  ask(id: string): void;
  /** Waits a few seconds for mails that are being sent. */
  close(): Promise<void>;
}

export interface ConfirmationTools extends ConsentTools {
  smtp: Smtp;
  /** The title of the catalog, from the latest build. */
  title(): string;
  /** The address of the server; null if the build has none. */
  runtimeUrl(): string | null;
  log: SubscriberLog;
}

/** How many mails may wait to be sent. More are asked for only in an attack, or while the mail server is away. */
const mostWaiting = 1000;

/** After how long a mail that was certainly not sent is tried again, in milliseconds. */
const pausesMs = [60_000, 600_000];

/** How long `close` waits, in milliseconds. */
const patienceMs = 3_000;

/** Sends one mail after the other. */
export function openConfirmations(tools: ConfirmationTools): Confirmations {
  const { smtp, title, key, now, runtimeUrl, log } = tools;
  const retries = new Set<NodeJS.Timeout>();
  let turn: Promise<void> = Promise.resolve();
  let waiting = 0;

  function enqueue(id: string, attempt: number): void {
    if (waiting >= mostWaiting) {
      log.warn({}, 'Too many emails are waiting to be sent, so a reader was not asked to confirm a subscription.');
      return;
    }
    waiting += 1;
    turn = turn
      .then(() => send(id, attempt))
      .finally(() => {
        waiting -= 1;
      });
  }

  async function send(id: string, attempt: number): Promise<void> {
    try {
      const record = await toAsk(id, tools);
      const url = runtimeUrl();
      if (record === null || url === null) return;
      const links = { runtimeUrl: url, key };
      const [confirm, unsubscribe] = [confirmAddress(record, links, now()), unsubscribeAddress(record, links)];
      await smtp.send(confirmationMail(record, { title: title(), confirm, unsubscribe }));
    } catch (error) {
      const { outcome = null, code = null, status = null } = error as Partial<SmtpFailed>;
      const pause = outcome === 'unsent' ? pausesMs[attempt] : undefined;
      const next = pause === undefined ? 'The reader can subscribe again.' : 'It is tried again later.';
      log.warn({ outcome, code, status }, `An email that asks to confirm a subscription was not sent. ${next}`);
      if (pause === undefined) return;
      const retry = setTimeout(() => {
        retries.delete(retry);
        enqueue(id, attempt + 1);
      }, pause);
      retries.add(retry.unref());
    }
  }

  return {
    ask: (id) => enqueue(id, 0),
    async close() {
      for (const retry of retries) clearTimeout(retry);
      await Promise.race([turn, sleep(patienceMs, undefined, { ref: false })]);
      smtp.close();
    },
  };
}
