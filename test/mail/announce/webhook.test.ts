import { createHmac } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sender, Subject } from '../../../src/mail/campaign.ts';
import { serviceCalls } from '../../../src/mail/campaign.ts';
import { openSender } from '../../../src/mail/senders.ts';
import { inFolder } from '../../support/catalog.ts';
import { journalIn, smallSubject } from '../../support/mail/announcing.ts';
import { cutShort, type FakeProvider, type Reply, reset, startProvider } from '../../support/subscribers.ts';

/** Announcements as webhooks: signed, without any address, and repeated with the same bytes. */

const key = 'a-secret-that-signs';
const subject = smallSubject();

interface Place extends FakeProvider {
  sender: Sender;
  send(kind?: Subject['kind']): Promise<{ outcome?: string; message: string }>;
  state(): Promise<string | undefined>;
  waits: number[];
}

async function withReceiver(replies: readonly Reply[], use: (place: Place) => Promise<void>): Promise<void> {
  const provider = await startProvider(replies);
  const waits: number[] = [];
  try {
    await inFolder(async (data) => {
      const environment = {
        ...{ CATALOG_SIGNUPS: 'webhook', CATALOG_SIGNUPS_URL: 'http://127.0.0.1:9/' },
        ...{ CATALOG_SIGNUPS_KEY: key, CATALOG_ANNOUNCE_URL: `${provider.url}/hooks/announce` },
      };
      const { sender } = await openSender({
        list: 'daily',
        site: { baseUrl: 'https://press.example', runtimeUrl: null },
        ...{ data, environment, now: () => new Date('2026-11-20T08:00:00Z'), wait: async (ms) => void waits.push(ms) },
      });
      const send: Place['send'] = async (kind = 'issue') => {
        const claim = await journalIn(data).claim(subject.key);
        return sender
          .send({ ...subject, kind }, claim)
          .catch((error: Error) => error)
          .finally(() => claim.release());
      };
      await use({
        ...provider,
        sender,
        send,
        waits,
        state: async () => (await journalIn(data).read(subject.key))?.state,
      });
    });
  } finally {
    await provider.close();
  }
}

test('an announcement is posted once, signed, with the email and a place for the address to unsubscribe', () =>
  withReceiver([{ status: 202 }], async ({ send, received, state }) => {
    assert.is((await send()).outcome, 'sent');
    assert.is(received.length, 1);
    const { path, headers, text, json } = received[0] ?? {};
    assert.is(path, '/hooks/announce');
    const signature = createHmac('sha256', key)
      .update(text ?? '')
      .digest('hex');
    assert.is(headers?.['x-catalog-signature'], `sha256=${signature}`);
    const { html, ...mail } = (json as { mail: { html: string } }).mail;
    assert.equal(
      { ...(json as object), mail },
      {
        ...{ type: 'announce.issue', id: subject.key, time: '2026-11-20T08:00:00.000Z', list: 'daily' },
        issue: { date: '2026-11-20', slug: 'one', title: 'The one agent', url: 'https://press.example/agents/one' },
        mail: {
          subject: 'The one agent (No. 1)',
          preheader: 'Checks things.',
          text: 'Hello\n\nLeave: {{unsubscribe_url}}\n',
        },
      },
    );
    assert.match(html, '<a href="{{unsubscribe_url}}">Leave</a>');
    assert.is(await state(), 'sent');
  }));

test('a post without an answer is repeated with the same bytes, since the receiver ignores an id that it had', () =>
  withReceiver([reset, cutShort(500), { status: 200 }], async ({ send, received }) => {
    assert.is((await send()).outcome, 'sent');
    assert.is(received.length, 3);
    assert.is(new Set(received.map(({ text }) => text)).size, 1);
  }));

test('a receiver that refuses is not asked again by this run, and one that redirects is not followed', async () => {
  await withReceiver([{ status: 410 }], async ({ send, received, state }) => {
    assert.match((await send()).message, /^The announcement was not accepted: webhook .* with status 410/);
    assert.equal([received.length, await state()], [1, 'claimed']);
  });
  await withReceiver([{ status: 307, headers: { location: '/elsewhere' } }], async ({ send, received }) => {
    assert.match((await send()).message, /redirect \(307\), which is not followed/);
    assert.ok(received.every(({ path }) => path === '/hooks/announce'));
  });
});

test('a receiver that asks to wait gets the announcement after that time, from the same run', () =>
  withReceiver(
    [429, 503]
      .map((status) => ({ status, headers: { 'retry-after': '120' } }))
      .concat({ status: 200, headers: {} } as never),
    async ({ send, received, waits }) => {
      assert.is((await send()).outcome, 'sent');
      assert.equal([received.length, waits], [3, [120_000, 120_000]]);
    },
  ));

test('a receiver that is away gets the announcement from the next run, with the same id', () =>
  withReceiver([reset, reset, reset, { status: 200 }], async ({ send, received, state }) => {
    assert.match((await send()).message, /could not be reached.* Run this command again\.$/);
    assert.is(await state(), 'sending');
    assert.is((await send()).outcome, 'sent');
    assert.equal([...new Set(received.map(({ json }) => (json as { id: string }).id))], [subject.key]);
  }));

test('a digest and a test are told apart from the email about an agent, and a test names no address', () =>
  withReceiver([{ status: 200 }, { status: 200 }], async ({ sender, send, received, state }) => {
    assert.is((await send('digest')).outcome, 'sent');
    const said = await sender.test(subject, 'me@press.example');
    assert.match(
      said,
      /^127\.0\.0\.1:\d+ accepted the announcement as a test\. It does not learn the address me@press/,
    );
    const [digest, trial] = received.map(({ json }) => json as { type: string; id: string });
    assert.equal([digest?.type, digest?.id, trial?.type], ['announce.digest', subject.key, 'announce.test']);
    assert.match(trial?.id ?? '', new RegExp(`^${subject.key}:test:\\d+$`));
    assert.not.match(received[1]?.text ?? '', 'me@press.example');
    assert.is(await state(), 'sent');
  }));

test('Ctrl-C ends the wait for a service that asks to wait', async () => {
  const fetch = async () => new Response('', { status: 429, headers: { 'retry-after': '500' } });
  const call = serviceCalls('service', 'k3y', {}, { fetch, stop: AbortSignal.abort() });
  const url = 'https://service.example/';
  const error = (await call({ step: 'list', method: 'GET', url }).catch((each: unknown) => each)) as { status: number };
  assert.is(error.status, 429);
});

test.run();
