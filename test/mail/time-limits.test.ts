import { once } from 'node:events';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ProviderFailed } from '../../src/mail/calls.ts';
import { openSender } from '../../src/mail/senders.ts';
import { parseSmtpSettings, type SmtpSettings } from '../../src/mail/settings.ts';
import { openSmtp, SmtpFailed } from '../../src/mail/smtp.ts';
import { withDeadline } from '../../src/mail/subscribers.ts';
import { atTime } from '../support/at-time.ts';
import { smallSubject } from '../support/mail/announcing.ts';
import { rows } from '../support/mail/service-rows.ts';
import { subscription } from '../support/subscribers.ts';
import { until } from '../support/until.ts';

/** How long others may take, and how much they may answer, measured with a clock that only moves when a test says so. */

interface FakeClock {
  /** The lengths of all timers that were started, in milliseconds, without those below five seconds. */
  started: number[];
  /** Ends the timers of a length. Returns how many there were. */
  end(ms: number): number;
}

/** Runs `use` with timers of five seconds and more that only end when it says so. */
async function withFakeClock(use: (clock: FakeClock) => Promise<void>): Promise<void> {
  const { setTimeout, clearTimeout } = globalThis;
  const { timeout } = AbortSignal;
  const running = new Map<unknown, { ms: number; ended(): void }>();
  const started: number[] = [];
  const start = (ms: number, ended: () => void) => {
    // A timer of Node, so that the code under test can call its methods.
    const timer = setTimeout(() => {}, 0);
    running.set(timer, { ms, ended });
    started.push(ms);
    return timer;
  };
  globalThis.setTimeout = ((ended: () => void, ms = 0, ...values: never[]) =>
    ms <= 4_000 ? setTimeout(ended, ms, ...values) : start(ms, ended)) as typeof setTimeout;
  globalThis.clearTimeout = (timer) => {
    running.delete(timer);
    clearTimeout(timer);
  };
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController();
    start(ms, () => controller.abort());
    return controller.signal;
  };
  const end = (ms: number) => {
    const due = [...running].filter(([, timer]) => timer.ms === ms);
    for (const [key, { ended }] of due) {
      running.delete(key);
      ended();
    }
    return due.length;
  };
  try {
    await atTime(Date.now(), () => use({ started, end }));
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
    AbortSignal.timeout = timeout;
  }
}

test('a subscription may take five seconds', () =>
  withFakeClock(async ({ started, end }) => {
    const subscribers = withDeadline({ name: 'made-up', add: () => new Promise(() => {}) });
    const failure = subscribers.add(subscription).catch((error) => error);
    assert.equal(started, [5_000]);
    assert.is(end(5_000), 1);
    assert.instance(await failure, ProviderFailed);
    assert.is((await failure).reason, 'timeout');
  }));

/** Opens the sender of a service whose answers `fetch` gives. */
async function senderOf(environment: Record<string, string>, fetch: (init: RequestInit) => Promise<Response>) {
  const { sender } = await openSender({
    list: 'daily',
    site: { baseUrl: 'https://press.example', runtimeUrl: null },
    environment: { CATALOG_SIGNUPS_URL: 'http://127.0.0.1:9', ...environment },
    ...{ data: 'unused', now: () => new Date('2026-11-20T08:00:00Z'), wait: async () => {} },
    calls: { fetch: (_url, init) => fetch(init), wait: async () => {} },
  });
  return sender;
}

/** Answers only when a request is given up. */
const never = ({ signal }: RequestInit) =>
  new Promise<Response>((_, reject) => {
    if (signal) signal.addEventListener('abort', () => reject(signal.reason));
    else reject(new Error('A request without a time limit.'));
  });

for (const [name, { environment }] of Object.entries(rows)) {
  test(`${name}: a call may take twenty seconds`, () =>
    withFakeClock(async ({ started, end }) => {
      const sender = await senderOf(environment, never);
      const failure = sender.audience().catch((error) => error);
      await until(() => started.length > 0);
      assert.equal(started, [20_000]);
      end(20_000);
      assert.match((await failure).message, /took too long\.$/);
    }));
}

test('webhook: a post may take ten seconds, three times', () =>
  withFakeClock(async ({ started, end }) => {
    const hook = { CATALOG_SIGNUPS: 'webhook', CATALOG_SIGNUPS_KEY: 'k', CATALOG_ANNOUNCE_URL: 'http://127.0.0.1:9/a' };
    const sender = await senderOf(hook, never);
    const failure = sender.test(smallSubject(), 'ann@example.com').catch((error) => error);
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await until(() => started.length === attempt);
      end(10_000);
    }
    assert.match((await failure).message, /took too long\.$/);
    assert.equal(started, [10_000, 10_000, 10_000]);
  }));

/** A list's name, in an answer with this many mebibytes of other fields. Counts the chunks that were read. */
function longAnswer(mebibytes: number) {
  let chunks = 0;
  const text = `"${'x'.repeat(2 ** 20 - 3)}",`;
  const body = new ReadableStream({
    pull(stream) {
      chunks += 1;
      if (chunks <= mebibytes) return stream.enqueue(Buffer.from(chunks === 1 ? `{"name":"n","rest":[${text}` : text));
      stream.enqueue(Buffer.from('"end"]}'));
      stream.close();
    },
  });
  return { response: new Response(body), read: () => chunks };
}

test('an answer may have 32 MiB, and no more of it is read', async () => {
  const { environment } = rows.resend as (typeof rows)[string];
  const shorter = longAnswer(31);
  const sender = await senderOf(environment, async () => shorter.response);
  assert.match(await sender.audience(), 'the segment "n"');
  const longer = longAnswer(100);
  const refusing = await senderOf(environment, async () => longer.response);
  const failure = await refusing.audience().catch((error) => error);
  assert.match(failure.message, /status 200, but not in the expected form\.$/);
  assert.ok(longer.read() < 36, `${longer.read()} MiB were read`);
});

const mail = {
  to: 'ann@example.com',
  subject: 'No. 7',
  text: 'Hello',
  html: '<p>Hello</p>',
  unsubscribe: 'https://a/b',
};

/** Sends an email to a mail server that says `greeting` and then nothing. */
async function withSilentServer(greeting: string, use: (sent: Promise<SmtpFailed>) => Promise<void>): Promise<void> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    socket.write(greeting);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const smtp = openSmtp(
    parseSmtpSettings({
      CATALOG_SMTP_URL: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
      CATALOG_MAIL_FROM: 'daily@example.com',
    }) as SmtpSettings,
  );
  try {
    await use(smtp.send(mail).catch((error) => error));
  } finally {
    smtp.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

test('a mail server may take ten seconds until it has connected and greeted', () =>
  withFakeClock(({ started, end }) =>
    withSilentServer('', async (sent) => {
      await until(() => started.length === 2);
      assert.equal(started, [10_000, 10_000]);
      assert.is(end(10_000), 1);
      const failure = await sent;
      assert.instance(failure, SmtpFailed);
      assert.equal([failure.outcome, failure.code], ['unsent', 'ETIMEDOUT']);
    }),
  ));

test('a mail server may be silent for a minute', async () => {
  const { setTimeout } = Socket.prototype;
  const limited: { socket: Socket; ms: number }[] = [];
  // Sockets have a timer of their own, which no clock of a test can reach.
  Socket.prototype.setTimeout = function (this: Socket, ms: number) {
    if (ms > 0) limited.push({ socket: this, ms });
    return this;
  };
  try {
    await atTime(Date.now(), () =>
      withSilentServer('220 mail.example.com\r\n', async (sent) => {
        await until(() => limited.length === 2);
        assert.equal(
          limited.map(({ ms }) => ms),
          [10_000, 60_000],
        );
        limited.at(-1)?.socket.emit('timeout');
        const failure = await sent;
        assert.instance(failure, SmtpFailed);
        assert.equal([failure.outcome, failure.code], ['unsent', 'ETIMEDOUT']);
      }),
    );
  } finally {
    Socket.prototype.setTimeout = setTimeout;
  }
});

test.run();
