import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ProviderFailed } from '../../../src/mail/calls.ts';
import { openSubscribers } from '../../../src/mail/subscribers.ts';
import { freePort } from '../../support/free-port.ts';
import {
  cutShort,
  endless,
  hang,
  hangInBody,
  inShort,
  noHttp,
  type Remote,
  type Reply,
  reset,
  secret,
  settingsOf,
  startProvider,
  subscription,
  type TrialOptions,
  tryProvider,
} from '../../support/subscribers.ts';
import { withTimeLimit } from '../../support/until.ts';

/** Tests for every provider. `expected` leaves out the step; `calls` counts the requests to the first step. */
interface Row {
  name: string;
  replies: Reply[];
  options?: TrialOptions;
  expected: string;
  retries?: number;
  pauses?: number[];
}

const ok: Reply = { status: 200, body: {} };
const html = { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Welcome</h1>' };

/** The connection has broken by the time the headers are read. */
const broken: TrialOptions = {
  fetch: async (...args) => {
    const { status } = await globalThis.fetch(...args);
    const reset = new TypeError('terminated');
    return new Response(new ReadableStream({ start: (controller) => controller.error(reset) }), { status });
  },
};

const rows: Row[] = [
  { name: 'hangs', replies: [hang], expected: 'timeout' },
  { name: 'hangs in the body of an error', replies: [hangInBody(400)], expected: 'timeout' },
  { name: 'hangs in the body of a success', replies: [hangInBody(200)], expected: 'accepted' },
  { name: 'hangs at the retry', replies: [{ status: 503 }, hang], expected: 'timeout', retries: 1 },
  { name: 'breaks off, twice', replies: [reset], expected: 'network', retries: 1 },
  { name: 'breaks off, then answers', replies: [reset, ok], expected: 'accepted', retries: 1, pauses: [150] },
  { name: 'speaks no HTTP', replies: [noHttp], expected: 'network', retries: 1 },
  { name: 'answers a success in HTML', replies: [html], expected: 'accepted' },
  { name: 'answers a success without a body', replies: [{ status: 204 }], expected: 'accepted' },
  { name: 'answers a success that has no end', replies: [endless(200)], expected: 'accepted' },
  { name: 'answers a success that is cut short', replies: [cutShort(200)], expected: 'accepted' },
  { name: 'answers a success whose body is already broken', replies: [ok], options: broken, expected: 'accepted' },
  { name: 'answers an error in HTML', replies: [{ ...html, status: 400 }], expected: 'refused 400' },
  { name: 'answers an error without a body', replies: [{ status: 400 }], expected: 'refused 400' },
  { name: 'answers an error that has no end', replies: [endless(400)], expected: 'refused 400' },
  { name: 'answers an error that is cut short', replies: [cutShort(400)], expected: 'refused 400' },
  { name: 'answers an error that is null', replies: [{ status: 400, body: 'null' }], expected: 'refused 400' },
  { name: 'answers 401', replies: [{ status: 401 }], expected: 'refused 401' },
  { name: 'answers 404', replies: [{ status: 404 }], expected: 'refused 404' },
  { name: 'answers 500', replies: [{ status: 500 }, ok], expected: 'refused 500' },
  ...[502, 503, 504].map((status) => ({
    name: `answers ${status}, then well`,
    replies: [{ status }, ok],
    expected: 'accepted',
    retries: 1,
    pauses: [150],
  })),
  { name: 'answers 503 twice', replies: [{ status: 503 }, { status: 503 }, ok], expected: 'refused 503', retries: 1 },
  {
    name: 'answers 503 with a long Retry-After',
    replies: [{ status: 503, headers: { 'retry-after': '60' } }, ok],
    expected: 'refused 503',
  },
  {
    name: 'answers 429 without Retry-After',
    replies: [{ status: 429, body: 'Retry later' }, ok],
    expected: 'refused 429',
  },
  {
    name: 'answers 429 with a short Retry-After',
    replies: [{ status: 429, headers: { 'retry-after': '1' } }, ok],
    expected: 'accepted',
    retries: 1,
    pauses: [1000],
  },
  {
    name: 'answers 429 with a Retry-After that is a near date',
    replies: [{ status: 429, headers: { 'retry-after': 'Sat, 21 Nov 2026 09:00:02 GMT' } }, ok],
    expected: 'accepted',
    retries: 1,
    pauses: [2000],
  },
  {
    name: 'answers 429 with a Retry-After that is long',
    replies: [{ status: 429, headers: { 'retry-after': '3' } }, ok],
    expected: 'refused 429',
  },
  {
    name: 'answers 429 with a Retry-After that means nothing',
    replies: [{ status: 429, headers: { 'retry-after': '-1' } }, ok],
    expected: 'refused 429',
  },
  ...[300, 301, 302, 303, 307, 308].map((status) => ({
    name: `answers the redirect ${status}`,
    replies: [{ status, headers: { location: '/elsewhere' } }, ok],
    expected: `redirect ${status}`,
  })),
];

const plain = { ...subscription };
delete plain.note;

/** Like tryProvider, with a time limit that ends as soon as the last reply hangs. */
function tryHanging(remote: Remote, replies: readonly Reply[], options: TrialOptions) {
  return withTimeLimit((timeoutMs, expire) => {
    let calls = 0;
    const over = () => setImmediate(expire);
    const last = replies.at(-1);
    const fetch: typeof globalThis.fetch = async (...args) => {
      calls += 1;
      const isLast = calls === replies.length;
      const response = await globalThis.fetch(...args);
      if (isLast) over();
      return response;
    };
    const hanging: Reply = (request, response) => {
      if (typeof last === 'function') last(request, response);
      if (last === hang) over();
    };
    return tryProvider(remote, [...replies.slice(0, -1), hanging], { ...options, fetch, timeoutMs });
  });
}

for (const remote of Object.keys(settingsOf) as Remote[]) {
  for (const { name, replies, options, expected, retries = 0, pauses } of rows) {
    test(`${remote}: a provider that ${name}: ${expected}`, async () => {
      const attempt = expected === 'timeout' ? tryHanging : tryProvider;
      const trial = await attempt(remote, replies, { given: plain, ...options });
      const shown = inShort(trial.outcome);
      const { step, code } = trial.outcome instanceof ProviderFailed ? trial.outcome : { step: null, code: null };
      const bare = shown.replace(` ${step}`, '').replace(expected === 'network' ? ` ${code}` : '', '');
      assert.is(bare, expected);
      // A provider that takes several calls continues with the next one after a success.
      const first = trial.received[0];
      const repeated = trial.received.slice(1).filter(({ path }) => path === first?.path);
      assert.is(repeated.length, retries);
      for (const { text, headers } of repeated) assert.equal([text, headers], [first?.text, first?.headers]);
      if (pauses !== undefined) assert.equal(trial.pauses, pauses);
      assert.not(trial.received.some(({ path }) => path === '/elsewhere'));
      for (const { headers, text } of trial.received) {
        assert.is(headers['user-agent'], 'daily-agent-catalog');
        assert.is(headers.accept, 'application/json');
        assert.is(headers['content-type'], text === '' ? undefined : 'application/json');
      }
      if (trial.outcome instanceof ProviderFailed) assert.is(trial.outcome.provider, remote);
    });
  }

  test(`${remote}: a provider that does not listen: network, with the system's code`, async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const nowhere = () => settingsOf[remote](url);
    const { outcome, pauses } = await tryProvider(remote, [], { settings: nowhere });
    assert.instance(outcome, ProviderFailed);
    assert.match(inShort(outcome), /^network ECONNREFUSED /);
    assert.is(pauses.length, 1);
  });

  test(`${remote}: a provider that repeats what it was sent does not get it into an error`, async () => {
    for (const code of [
      'k3y-that-nobody-may-see',
      subscription.email,
      subscription.note,
      'x'.repeat(65),
      { a: 1 },
      7,
    ]) {
      const body = { code, name: code, message: `${code}`, detail: subscription.email, error: subscription.note };
      const { outcome } = await tryProvider(remote, [{ status: 403, body }]);
      assert.instance(outcome, ProviderFailed);
      assert.is((outcome as ProviderFailed).code, null);
    }
  });

  test(`${remote}: an error of fetch itself that repeats key and address does not pass them on`, async () => {
    const fetch = () =>
      Promise.reject(
        Object.assign(
          new TypeError(`bad header Token k3y-that-nobody-may-see for ${subscription.email}`, {
            cause: Object.assign(new Error(encodeURIComponent(subscription.email)), {
              code: 'UND_ERR',
              data: subscription.note,
            }),
          }),
        ),
      );
    const { outcome } = await tryProvider(remote, [], { fetch });
    assert.match(inShort(outcome), /^network UND_ERR /);
    // Alone, since a message is removed as a whole.
    for (const text of [secret, subscription.email, subscription.note]) {
      await tryProvider(remote, [], { fetch: () => Promise.reject(new TypeError(`bad header ${text}`)) });
    }
  });
}

test('a timeout closes the connection', () =>
  withTimeLimit(async (timeoutMs, expire) => {
    let closed = () => {};
    const closing = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const hanging: Reply = (request) => {
      request.socket.on('close', closed);
      expire();
    };
    const provider = await startProvider([hanging]);
    const tools = { file: 'unused', log: { warn: () => {} }, timeoutMs };
    const subscribers = await openSubscribers(settingsOf.webhook(provider.url), tools);
    assert.is(inShort(await subscribers.add(subscription).catch((error) => error)), 'timeout');
    await closing;
    await provider.close();
  }));

test('by default, the pause before a retry ends with the time limit', () =>
  withTimeLimit(async (timeoutMs, expire) => {
    const busy = { status: 429, headers: { 'retry-after': '2' } };
    const fetch: typeof globalThis.fetch = async (...args) => {
      const response = await globalThis.fetch(...args);
      // The pause begins once the answer is discarded.
      setTimeout(expire, 50);
      return response;
    };
    const { outcome, received } = await tryProvider('webhook', [busy, ok], {
      fetch,
      timeoutMs,
      wait: undefined as never,
    });
    assert.is(inShort(outcome), 'timeout');
    assert.is(received.length, 1);
  }));

test.run();
