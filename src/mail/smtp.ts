import type { Readable } from 'node:stream';
import { getSystemErrorName } from 'node:util';
import { createTransport } from 'nodemailer';
import type { SmtpSettings } from './smtp-settings.ts';

/** One mail to one address. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Where a POST ends the subscription (RFC 8058). */
  unsubscribe: string;
  /** The Message-ID, with angle brackets. A mail that is sent again should have the same. @default a random one */
  messageId?: string;
  /** Further headers, such as List-Id: `Name <id>`, since nodemailer removes the brackets of an id without a name. */
  headers?: Record<string, string>;
}

/** How fast mails are sent. */
export interface SmtpPace {
  /** @default 1 */
  maxConnections?: number;
  /** How many mails in a second, at most. @default 5 */
  rateLimit?: number;
}

/** A connection to an SMTP server, opened with the first mail. */
export interface Smtp {
  /** Resolves once the server has accepted the mail. Throws only SmtpFailed. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/**
 * What became of a mail: the server permanently refused its address (`refused`); it was certainly not sent (`unsent`); or
 * the connection broke before the answer, so that it may have been sent (`unknown`).
 */
export type SmtpOutcome = 'refused' | 'unsent' | 'unknown';

/** A mail was not accepted. It contains neither the address nor the server's text, so it can be logged as it is. */
export class SmtpFailed extends Error {
  override readonly name = 'SmtpFailed';
  readonly outcome: SmtpOutcome;
  /** The code of nodemailer or the system, such as EAUTH or ECONNREFUSED. */
  readonly code: string | null;
  /** The status of the server's answer, such as 550. */
  readonly status: number | null;
  /** Whether the server refused the address, not the connection, the sender or the mail. */
  readonly aboutAddress: boolean;
  /** The enhanced status of a permanent refusal, such as 5.1.1 for an unknown mailbox (RFC 3463). */
  readonly detail: string | null;

  /** `begun` is whether a part of the text was sent. */
  constructor(error: unknown, begun: boolean) {
    const { code: broad, errno, responseCode, response, command } = error as Partial<Record<string, unknown>>;
    // nodemailer calls each failure of a connection ESOCKET.
    const code = typeof errno === 'number' && errno < 0 ? getSystemErrorName(errno) : broad;
    const status = typeof responseCode === 'number' ? responseCode : null;
    super(`The mail server did not accept an email (${[code, command, status].filter((fact) => fact).join(', ')}).`);
    this.code = typeof code === 'string' ? code : null;
    this.status = status;
    this.detail = /^5\d\d[ -](5\.\d{1,3}\.\d{1,3})\b/.exec(String(response))?.[1] ?? null;
    this.aboutAddress = command === 'RCPT TO' && status !== 421;
    // 5.7 is about the sender or the server, such as a relay that is not permitted.
    const permanent = this.aboutAddress && this.detail?.startsWith('5.7.') !== true;
    if (permanent && status !== null && status >= 500) this.outcome = 'refused';
    else this.outcome = status !== null || !begun ? 'unsent' : 'unknown';
  }
}

/** Sends mails over SMTP, never one of them twice: nodemailer would repeat a mail whose connection broke. */
export function openSmtp(
  { from, ...server }: SmtpSettings,
  { maxConnections = 1, rateLimit = 5 }: SmtpPace = {},
): Smtp {
  const transport = createTransport({
    ...server,
    requireTLS: !server.secure && !/^(?:localhost|127(?:\.\d+){3}|::1)$/.test(server.host),
    pool: true,
    maxRequeues: 0,
    maxConnections,
    rateLimit,
    rateDelta: 1000,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 60_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // The text of a mail is read only once the server asks for it.
  const texts = new WeakMap<object, Readable>();
  transport.use('stream', ({ message, data }, done) => {
    const create = message.createReadStream.bind(message);
    message.createReadStream = (options) => {
      const text = create(options);
      if (data.headers !== undefined) texts.set(data.headers, text);
      return text;
    };
    done();
  });
  return {
    async send({ to, unsubscribe, headers: further = {}, ...mail }) {
      const headers = {
        ...further,
        // Mailbox providers accept a long address in this header only if it is not folded.
        'List-Unsubscribe': { prepared: true, value: `<${unsubscribe}>` },
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      };
      try {
        await transport.sendMail({
          ...mail,
          from,
          to: { name: '', address: to },
          headers,
        });
      } catch (error) {
        throw new SmtpFailed(error, texts.get(headers)?.readableDidRead === true);
      }
    },
    close: () => transport.close(),
  };
}
