import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { smallSubject } from '../../support/mail/announcing.ts';
import { type Row, rows, withService } from '../../support/mail/service-rows.ts';
import { type Answer, buttondown, listmonk, resend } from '../../support/mail/services.ts';

/** What a service says of an email decides whether it is sent: to whom it would go, and whether it was sent already. */

// biome-ignore lint/suspicious/noExplicitAny: the answers of three services
type Stored = any;

/** The service of a row, whose answers to a request for its one email are changed. */
function withMail({ answer }: Row, change: (mail: Stored) => void): Answer {
  const inner = answer();
  return (asked, service) => {
    const reply = inner(asked, service);
    if (asked.method !== 'GET' || !/^\/(?:v1\/emails|broadcasts|api\/campaigns)\/\w+$/.test(asked.path)) return reply;
    const body = structuredClone(reply.body) as Stored;
    change(body.data ?? body);
    return { ...reply, body };
  };
}

const elsewhere: [name: string, change: (mail: Stored) => void, message: RegExp][] = [
  [
    'buttondown',
    ({ filters }) => Object.assign(filters.filters[0], { value: 'tag_2' }),
    /^The email em_1 at Buttondown has different filters than the list, so it was not sent\.$/,
  ],
  ['buttondown', ({ filters }) => Object.assign(filters.filters[0], { field: 'subscriber.type' }), /different filters/],
  ['buttondown', ({ filters }) => filters.filters.push({ field: 'subscriber.tags', value: 'x' }), /different filters/],
  ['buttondown', (mail) => Object.assign(mail, { filters: null }), /different filters/],
  [
    'resend',
    (mail) => Object.assign(mail, { segment_id: 'another' }),
    /^The broadcast br_1 at Resend is for another segment, so it was not sent\.$/,
  ],
  [
    'listmonk',
    (mail) => Object.assign(mail, { lists: [{ id: 2 }] }),
    /^The campaign 1 at listmonk is not for list 1 alone, so it was not sent\.$/,
  ],
  ['listmonk', ({ lists }) => lists.push({ id: 2 }), /not for list 1 alone/],
  ['listmonk', (mail) => Object.assign(mail, { lists: [] }), /not for list 1 alone/],
];
for (const [at, [name, change, message]] of elsewhere.entries()) {
  test(`${name} sends no draft that would go to others than the list (${at + 1})`, () =>
    withService(
      rows[name] as Row,
      async ({ service, send }) => {
        assert.match(await send().catch((error) => error.message), message);
        assert.is(service.sent.length, 0);
      },
      withMail(rows[name] as Row, change),
    ));
}

test('buttondown sends a draft whose tag it writes in another form', () =>
  withService(
    rows.buttondown as Row,
    async ({ send }) => assert.is((await send()).outcome, 'sent'),
    // Tag and ExternalFeed in fixtures.json of buttondown/openapi: an id as a TypeID, and as a UUID in a filter.
    withMail(rows.buttondown as Row, ({ filters }) =>
      Object.assign(filters.filters[0], { value: '13121cd6-0dfc-424c-bb12-988b0a32fcb3' }),
    ),
  ));

test('resend sends a draft of which it does not say the segment', () =>
  withService(
    rows.resend as Row,
    async ({ send }) => assert.is((await send()).outcome, 'sent'),
    withMail(rows.resend as Row, (mail) => Object.assign(mail, { segment_id: null })),
  ));

const states: Record<string, { sent: string[]; unclear: string[] }> = {
  buttondown: {
    sent: ['scheduled', 'about_to_send', 'in_flight', 'throttled', 'sent', 'resending'],
    unclear: ['paused', 'errored'],
  },
  resend: { sent: ['queued', 'scheduled', 'sent'], unclear: ['failed'] },
  listmonk: { sent: ['scheduled', 'running', 'finished'], unclear: ['paused', 'cancelled'] },
};
for (const [name, { sent, unclear }] of Object.entries(states)) {
  for (const state of [...sent, ...unclear]) {
    const outcome = sent.includes(state) ? 'sent' : 'uncertain';
    test(`an email that ${name} calls ${state} after sending it: ${outcome}`, () =>
      withService(
        rows[name] as Row,
        async ({ send }) => assert.is((await send()).outcome, outcome),
        withMail(rows[name] as Row, (mail) => {
          if (mail.status !== 'draft') mail.status = state;
        }),
      ));
  }
}

const other = '11111111-8f8b-4381-83c6-79fa7120f1c1';
const ofPro = '22222222-8f8b-4381-83c6-79fa7120f1c1';
const listsOfTheirOwn: [name: string, daily: string, pro: string, answer: Answer, to: string | number][] = [
  ['buttondown', 'daily', 'pro', buttondown('pro'), 'sub_tag_0k28edc3fw896bp4mrhc535z5k'],
  ['resend', other, ofPro, resend(ofPro), ofPro],
  ['listmonk', '2', '1', listmonk(), 1],
];
for (const [name, daily, pro, answer, to] of listsOfTheirOwn) {
  test(`${name} sends an email for the list pro to that list`, () => {
    const row = rows[name] as Row;
    const lists = { CATALOG_SIGNUPS_LIST_DAILY: daily, CATALOG_SIGNUPS_LIST_PRO: pro };
    return withService(
      { ...row, environment: { ...row.environment, ...lists } },
      async ({ service, send }) => {
        assert.is((await send()).outcome, 'sent');
        assert.equal(
          service.sent.map((mail) => mail.to),
          [to],
        );
      },
      answer,
      'pro',
    );
  });
}

test('Buttondown is asked for the emails since a week before the day of the agent, from the API', () =>
  withService(rows.buttondown as Row, async ({ service, send }) => {
    await send();
    const [search] = service.asked.filter(({ method, path }) => method === 'GET' && path === '/v1/emails');
    assert.equal(Object.fromEntries(search?.query ?? []), { source: 'api', creation_date__start: '2026-11-13' });
  }));

test('listmonk gets a campaign in HTML with a plain text, in the template that counts nobody', () =>
  withService(rows.listmonk as Row, async ({ service, send }) => {
    await send();
    const stored = service.asked.find(({ method, path }) => method === 'POST' && path === '/api/campaigns')?.body;
    const { body, altbody, ...campaign } = stored;
    assert.equal(campaign, {
      ...{ name: smallSubject().key, subject: smallSubject().mail.subject, lists: [1], type: 'regular' },
      ...{ messenger: 'email', content_type: 'html', template_id: 7, tags: ['catalog'] },
      headers: [{ 'X-Catalog-Key': smallSubject().key }],
    });
    assert.match(body, '<a href="{{ UnsubscribeURL }}">');
    assert.is(altbody, String.raw`{{ Safe "Hello\n\nLeave: " }}{{ UnsubscribeURL }}{{ Safe "\n" }}`);
  }));

test('Resend sends from the address in the settings', () =>
  withService(rows.resend as Row, async ({ service, sender, send }) => {
    await sender.test(smallSubject(), 'me@press.example');
    await send();
    const bodies = service.asked.filter(
      ({ path, method }) => method === 'POST' && /^\/(emails|broadcasts)$/.test(path),
    );
    assert.equal(
      bodies.map(({ body }) => body.from),
      ['Daily <daily@press.example>', 'Daily <daily@press.example>'],
    );
    assert.match(bodies[0]?.body.html, 'href="https://press.example/"');
  }));

test.run();
