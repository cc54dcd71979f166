import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { getSystemErrorName } from 'node:util';
import { createTransport } from 'nodemailer';
import type { SmtpSettings } from './settings.ts';

/** One email to one address. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Where a POST ends the subscription (RFC 8058). */
  unsubscribe: string;
  /** The Message-ID, with angle brackets. An email that is sent again should have the same. @default a random one */
  messageId?: string;
  /** Further headers, such as List-Id: `Name <id>`, since nodemailer removes the brackets of an id without a name. */
  headers?: Record<string, string>;
}

/** How fast emails are sent. */
interface SmtpPace {
  /** @default 1 */
  maxConnections?: number;
  /** How many emails in a second, at most, over all connections. @default 5 */
  rateLimit?: number;
  /** @default node:timers/promises */
  wait?: (ms: number) => Promise<unknown>;
}

/**
 * The outcome of an email: the server says that its address does not exist (`refused`); it was certainly not sent (`unsent`);
 * or the connection broke before the answer, so that it may have been sent (`unknown`).
 */
export type SmtpOutcome = 'refused' | 'unsent' | 'unknown';

/** An email was not accepted. It contains neither the address nor the server's text, so it can be logged as it is. */
export class SmtpFailed extends Error {
  override readonly name = 'SmtpFailed';
  readonly outcome: SmtpOutcome;
  /** The code of nodemailer or the system, such as EAUTH or ECONNREFUSED. */
  readonly code: string | null;
  /** The status of the server's answer, such as 550. */
  readonly status: number | null;
  /** Whether the server refused the address, not the connection, the sender or the email. */
  readonly aboutAddress: boolean;

  /** `complete` is whether the end of the text may have been sent: without it, no server accepts an email (RFC 5321, section 4.1.1.4). */
  constructor(error: unknown, complete: boolean) {
    const { code: broad, errno, responseCode, response, command } = error as Partial<Record<string, unknown>>;
    // nodemailer calls each failure of a connection ESOCKET.
    const code = typeof errno === 'number' && errno < 0 ? getSystemErrorName(errno) : broad;
    const status = typeof responseCode === 'number' ? responseCode : null;
    const facts = [code, command, status].filter((fact) => fact).join(', ');
    const hint = /^(?:CONN|EHLO|STARTTLS|AUTH)/.test(String(command)) ? ' Check CATALOG_SMTP_URL.' : '';
    super(`The mail server did not accept an email (${facts}).${hint}`);
    this.code = typeof code === 'string' ? code : null;
    this.status = status;
    this.aboutAddress = command === 'RCPT TO' && status !== 421;
    if (this.aboutAddress && isUnknownMailbox(String(response))) this.outcome = 'refused';
    else this.outcome = status !== null || !complete ? 'unsent' : 'unknown';
  }
}

/** Matches the answers of servers about an address that does not exist, in the words of Postfix, Exim, Exchange, Gmail and others. */
const unknownMailbox = [
  /\b(?:no such|unknown|unrouteable|non-?existent) (?:local )?(?:user|mailbox|recipient|address|account|person)/i,
  /\b(?:user|mailbox|recipient|address|account|inbox)\b.{0,60}\b(?:unknown|not found|(?:does not|doesn't|no longer) exist|not exist)/i,
];

/**
 * Whether a permanent refusal says that the mailbox does not exist, with an enhanced status code (RFC 3463) or, without one
 * that says anything, in words. Any other refusal may be about the sender, its address, the email, or the size of the mailbox.
 */
function isUnknownMailbox(response: string): boolean {
  const [, code, words = ''] = /^5\d\d[ -](?:(5\.\d{1,3}\.\d{1,3})\b)?([\s\S]*)/.exec(response) ?? [];
  if (code !== undefined && !/^5\.[0-35]\.0$/.test(code)) return /^5\.1\.(?:[1236]|10)$/.test(code);
  return unknownMailbox.some((form) => form.test(words)) && !/\bsender\b/i.test(words);
}

/** Connections to an SMTP server, opened with the first emails. */
export type Smtp = ReturnType<typeof openSmtp>;

/** Sends emails over SMTP, never one of them twice: nodemailer would repeat an email whose connection broke. */
export function openSmtp(
  { from, ...server }: SmtpSettings,
  { maxConnections = 1, rateLimit = 5, wait = sleep }: SmtpPace = {},
) {
  const transport = createTransport({
    ...server,
    requireTLS: !server.secure && !/^(?:localhost|127(?:\.\d+){3}|::1)$/.test(server.host),
    pool: true,
    maxRequeues: 0,
    maxConnections,
    // Also for the greeting.
    connectionTimeout: 10_000,
    socketTimeout: 60_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  /** The calls to make before the end of the text of an email, by its headers. */
  const ends = new WeakMap<object, () => Promise<void>>();
  transport.use('stream', ({ message, data }, done) => {
    const create = message.createReadStream.bind(message);
    // The text of an email is read only once the server asks for it.
    async function* text(options?: object) {
      yield* create(options);
      await ends.get(data.headers ?? {})?.();
    }
    message.createReadStream = (options) => Readable.from(text(options), { objectMode: false });
    done();
  });

  /**
   * When the next email may be sent, by a clock that is never set back. nodemailer's own limit lets each connection send an email
   * before it counts.
   */
  let next = 0;

  return {
    /**
     * Resolves once the server has accepted the email. Throws only SmtpFailed. `beforeEnd` is called once all of the text but
     * its end was sent: until it resolves, the server cannot accept the email. If it rejects, the email is not sent.
     */
    async send({ to, unsubscribe, headers: further = {}, ...mail }: Mail, beforeEnd?: () => Promise<void>) {
      const headers = {
        ...further,
        // Mailbox providers accept a long address in this header only if it is not folded.
        'List-Unsubscribe': { prepared: true, value: `<${unsubscribe}>` },
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        // Keeps programs such as vacation(1) from answering (RFC 3834).
        'Auto-Submitted': 'auto-generated',
      };
      let complete = false;
      ends.set(headers, async () => {
        await beforeEnd?.();
        complete = true;
      });
      const now = performance.now();
      const at = Math.max(next, now);
      next = at + 1000 / rateLimit;
      if (at > now) await wait(Math.ceil(at - now));
      try {
        await transport.sendMail({ ...mail, from, to: { name: '', address: to }, headers });
      } catch (error) {
        throw new SmtpFailed(error, complete);
      }
    },
    close: () => transport.close(),
  };
}
