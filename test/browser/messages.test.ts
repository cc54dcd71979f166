import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failureText, type Outcome, send } from '../../src/browser/forms.ts';

/** What a reader is told about a vote or a subscription, for every answer of a server; without a browser. */

const rows: [status: number | null, retryAfter: number | null, said: string][] = [
  [null, null, 'The server did not respond. Check your connection and try again. Your entries are still in the form.'],
  [403, null, 'Only pages of this site may send it. Open this page at its original address.'],
  [404, null, 'The server does not know this agent. If it was just published, try again in a minute.'],
  [413, null, 'The note is too long. Shorten it and try again.'],
  [429, 1, 'There were too many requests from your network. Try again in 1 second.'],
  [429, 2, 'There were too many requests from your network. Try again in 2 seconds.'],
  [429, null, 'There were too many requests from your network. Try again later.'],
  [502, null, 'The mailing service did not accept your address. Try again later.'],
  [503, 30, 'The server cannot store anything right now. Try again in 30 seconds.'],
  [500, null, 'The server returned an error (500). Try again later.'],
];
for (const [status, retryAfter, said] of rows) {
  test(`status ${status}: ${said}`, () => {
    const failed = { sent: false, status, message: '', retryAfter } as const;
    assert.is(failureText('vote', failed), `Your vote was not recorded. ${said}`);
    assert.is(failureText('subscription', failed), `You are not subscribed. ${said}`);
  });
}

test('an answer that is not of the server is not read as if it were, except for its status where that says enough', () => {
  const other = (status: number, retryAfter: number | null = null) =>
    failureText('vote', { sent: false, status, message: null, retryAfter });
  for (const status of [200, 302, 400, 401, 403, 404, 500, 502, 504]) {
    assert.is(
      other(status),
      `Your vote was not recorded. Something other than the server answered (status ${status}), such as a proxy or the login page of a network. Check your connection and try again later.`,
    );
  }
  assert.match(other(413), /The note is too long/);
  assert.match(other(429), /too many requests/);
  assert.match(other(503, 5), /The server cannot store anything right now. Try again in 5 seconds/);
});

test('what is wrong in the form is said in the words of the server, without code', () => {
  const failed = (message: string) => ({ sent: false, status: 400, message, retryAfter: null }) as const;
  assert.is(failureText('vote', failed('`note` is `too` long.')), 'Your vote was not recorded. note is too long.');
  assert.is(failureText('vote', failed('')), 'Your vote was not recorded. Something in the form is invalid.');
});

/** Sends fields to a server with this answer. */
async function sendTo(answer: RequestListener): Promise<Outcome> {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  try {
    return await send(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/feedback`, { slug: 'one' });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('the fields are sent as JSON, and only a confirmation counts as sent', async () => {
  const seen: unknown[] = [];
  const outcome = await sendTo(async (request, response) => {
    seen.push(request.method, request.url, request.headers['content-type'], await text(request));
    response.end('{"ok":true}');
  });
  assert.equal(outcome, { sent: true });
  assert.equal(seen, ['POST', '/api/feedback', 'application/json', '{"slug":"one"}']);
  for (const body of ['{"ok":false}', '{}', 'null', '<p>', '']) {
    const failed = await sendTo((_request, response) => response.end(body));
    assert.equal(failed, { sent: false, status: 200, message: null, retryAfter: null }, body);
  }
});

test('only an Error object counts as an answer of the server', async () => {
  for (const [body, message] of [
    ['{"error":"forbidden","message":"No."}', 'No.'],
    ['{"error":"forbidden"}', ''],
    ['{"message":"No."}', null],
    ['null', null],
    ['<p>No.', null],
  ]) {
    const outcome = await sendTo((_request, response) => {
      response.writeHead(403);
      response.end(body);
    });
    assert.equal(outcome, { sent: false, status: 403, message, retryAfter: null }, String(body));
  }
});

const inTwoMinutes = new Date(Date.now() + 120_000).toUTCString();
const waits: [header: string | undefined, seconds: number | null][] = [
  [undefined, null],
  ['7', 7],
  ['0', 1],
  [new Date(0).toUTCString(), 1],
  ['soon', null],
];
test('the message and the time to wait are those of the server', async () => {
  const failed = (header: string | undefined) =>
    sendTo((_request, response) => {
      response.writeHead(429, header === undefined ? {} : { 'retry-after': header });
      response.end('{"error":"too_many_requests","message":"Slow down."}');
    });
  for (const [header, retryAfter] of waits) {
    assert.equal(await failed(header), { sent: false, status: 429, message: 'Slow down.', retryAfter }, header);
  }
  const later = await failed(inTwoMinutes);
  assert.ok(!later.sent && later.retryAfter !== null && later.retryAfter > 60 && later.retryAfter <= 120);
});

test('a server that breaks off gives no status', async () => {
  assert.equal(await sendTo((_request, response) => response.destroy()), {
    sent: false,
    status: null,
    message: null,
    retryAfter: null,
  });
});

test.run();
