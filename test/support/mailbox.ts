import type { AddressInfo, Socket } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A real SMTP server on this machine, and what it received. */
export interface Mailbox {
  /** For CATALOG_SMTP_URL. */
  url: string;
  /** The mails that were accepted, in order. */
  mails: ReceivedMail[];
  /** Resolves once this many mails were accepted. */
  received(count: number): Promise<void>;
  /** Breaks all connections off. */
  drop(): void;
  close(): Promise<void>;
}

export interface ReceivedMail extends ParsedMail {
  /** The address of the envelope. */
  recipient: string;
  /** The mail as sent. */
  raw: string;
}

/** Starts an SMTP server without TLS and passwords, which `options` may change. */
export async function startMailbox(options: SMTPServerOptions = {}): Promise<Mailbox> {
  const mails: ReceivedMail[] = [];
  const waiting: { count: number; done: () => void }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    async onData(stream, session, accept) {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of stream) chunks.push(chunk);
      } catch {
        // The client broke off, so it sent no mail.
        return;
      }
      const raw = Buffer.concat(chunks).toString('latin1');
      const recipient = session.envelope.rcptTo.map(({ address }) => address).join(', ');
      mails.push({ ...(await simpleParser(raw)), recipient, raw });
      accept();
      for (const { count, done } of waiting) if (mails.length >= count) done();
    },
    ...options,
  });
  // A client that breaks off is no error of the server.
  server.on('error', () => {});
  const listening = server.listen(0, '127.0.0.1');
  await new Promise<void>((resolve) => listening.once('listening', resolve));
  return {
    url: `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`,
    mails,
    received: (count) =>
      new Promise((done) => {
        if (mails.length >= count) done();
        else waiting.push({ count, done });
      }),
    drop() {
      for (const { _socket } of server.connections as Set<{ _socket: Socket }>) _socket.destroy();
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
