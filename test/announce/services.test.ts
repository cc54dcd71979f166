import { load } from 'cheerio';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openSender } from '../../src/announce/open-sender.ts';
import type { Sender, Subject } from '../../src/announce/senders/sender.ts';
import { parseAnnounceSettings } from '../../src/announce/settings.ts';
import { inFolder, writeCatalog } from '../support/catalog.ts';
import { goodPrompt } from '../support/good-agent.ts';
import { journalIn, planIn, postalAddress, smallSubject } from '../support/mail/announcing.ts';
import { type Answer, buttondown, listmonk, resend, type Service, startService } from '../support/mail/services.ts';

/** Each service, imitated after its documentation: exactly one mail, to the list and to nobody else, with its text as it is. */

const segment = '78261eea-8f8b-4381-83c6-79fa7120f1c1';
const common = { CATALOG_SIGNUPS_KEY: 'k3y', CATALOG_MAIL_FROM: 'Daily <daily@press.example>' };
const lists = (id: string) => ({
  ...{ CATALOG_SIGNUPS_LIST_DAILY: id, CATALOG_SIGNUPS_LIST_PRO: id, CATALOG_SIGNUPS_LIST_CUSTOM: id },
});

interface Row {
  answer: (...given: never[]) => Answer;
  environment: Record<string, string>;
  /** To whom its mails go. */
  to: string | number;
  /** The same service without the list, and what is said then. */
  without: [answer: Answer, message: RegExp];
  /** The requests that create, find, read and send, by method and path. */
  send: RegExp;
  create: RegExp;
}

const rows: Record<string, Row> = {
  buttondown: {
    answer: () => buttondown(),
    environment: { CATALOG_SIGNUPS: 'buttondown', ...common },
    to: 'tag_1',
    without: [buttondown('other'), /^Buttondown has no tag "daily", so nothing was sent\.$/],
    create: /^POST \/v1\/emails$/,
    send: /^POST \/v1\/emails\/em_\d+\/publish$/,
  },
  resend: {
    answer: () => resend(segment),
    environment: { CATALOG_SIGNUPS: 'resend', ...common, ...lists(segment) },
    to: segment,
    without: [resend('other'), /^Resend has no segment 78261eea-\S+, so nothing was sent\.$/],
    create: /^POST \/broadcasts$/,
    send: /^POST \/broadcasts\/br_\d+\/send$/,
  },
  listmonk: {
    answer: () => listmonk(),
    environment: {
      ...{ CATALOG_SIGNUPS: 'listmonk', CATALOG_MAIL_TEMPLATE: '7' },
      ...{ ...common, CATALOG_SIGNUPS_KEY: 'api:k3y', ...lists('1') },
    },
    to: 1,
    without: [
      (asked, service) => (asked.path.startsWith('/api/lists/') ? { status: 400 } : listmonk()(asked, service)),
      /^listmonk has no list 1, so nothing was sent\.$/,
    ],
    create: /^POST \/api\/campaigns$/,
    send: /^PUT \/api\/campaigns\/\d+\/status$/,
  },
};

interface Place {
  service: Service;
  sender: Sender;
  folder: string;
  /** Announces, as often as a schedule does. */
  send(subject?: Subject): ReturnType<Sender['send']>;
  now: { ms: number };
}

async function withService(row: Row, use: (place: Place) => Promise<void>, answer = row.answer()): Promise<void> {
  const service = await startService(answer);
  const now = { ms: Date.parse('2026-11-20T08:00:00Z') };
  const clock = () => new Date(now.ms);
  try {
    await inFolder(async (folder) => {
      const settings = parseAnnounceSettings({ ...row.environment, CATALOG_SIGNUPS_URL: service.url });
      const { sender } = await openSender(settings, {
        list: 'daily',
        site: { baseUrl: 'https://press.example', runtimeUrl: 'https://press.example' },
        ...{ data: folder, environment: {}, now: clock, wait: async () => {} },
      });
      const send = async (subject = smallSubject()) => {
        const claim = await journalIn(folder, clock).claim(subject.key);
        return sender.send(subject, claim).finally(() => claim.release());
      };
      await use({ service, sender, folder, send, now });
    });
  } finally {
    await service.close();
  }
}

const lineOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
const unread = (error: unknown) => error as Error;

for (const [name, row] of Object.entries(rows)) {
  test(`${name} sends one mail to the list, with an address to unsubscribe, however often it is asked`, () =>
    withService(row, async ({ service, send, folder }) => {
      const first = await send();
      assert.is(first.outcome, 'sent', first.message);
      assert.is((await send()).outcome, 'announced-already');
      assert.is(service.sent.length, 1);
      const [mail] = service.sent;
      assert.is(mail?.to, row.to);
      assert.match(mail?.html ?? '', '<a href="https://leave.example/">Leave</a>');
      if (mail?.text != null) assert.is(mail.text, 'Hello\n\nLeave: https://leave.example/\n');
      assert.is((await journalIn(folder).read(smallSubject().key))?.state, 'sent');
    }));

  test(`${name} sends nothing again from a machine whose journal is empty`, () =>
    withService(row, async ({ service, sender, send }) => {
      await send();
      await inFolder(async (other) => {
        const claim = await journalIn(other).claim(smallSubject().key);
        const { outcome } = await sender.send(smallSubject(), claim).finally(() => claim.release());
        assert.is(outcome, 'announced-already');
      });
      assert.is(service.sent.length, 1);
    }));

  test(`${name} sends nothing if the list does not exist`, () =>
    withService(
      row,
      async ({ service, send }) => {
        assert.match(((await send().catch(unread)) as Error).message, row.without[1]);
        assert.is(service.asked.filter((asked) => asked.method !== 'GET').length, 0);
      },
      row.without[0],
    ));

  for (const fault of ['lost before', 'lost after', 500, 429] as const) {
    test(`${name}: a request of a send that is ${fault} leads to one mail in the end, or to a question`, () =>
      withService(row, async ({ service, send, now, folder }) => {
        // Each request of a whole send fails once, one run after another.
        for (let failing = 1; failing < 12; failing += 1) {
          let count = 0;
          service.fault = () => {
            count += 1;
            return count === failing ? fault : null;
          };
          await send().catch(unread);
          now.ms += 20 * 60_000;
        }
        service.fault = () => null;
        const last = await send();
        assert.ok(['sent', 'announced-already'].includes(last.outcome), last.message);
        assert.is(service.sent.length, 1);
        assert.is((await journalIn(folder).read(smallSubject().key))?.state, 'sent');
      }));
  }

  test(`${name}: an interrupted send is not repeated before it is clear what became of it`, () =>
    withService(row, async ({ service, send, now }) => {
      service.fault = (asked) => (row.send.test(lineOf(asked)) ? 'lost before' : null);
      const lost = await send();
      assert.is(lost.outcome, 'uncertain');
      assert.match(lost.message, /is not known.*could not be reached.*--resolve sent or --resolve unsent\.$/);
      service.fault = () => null;
      assert.is((await send()).outcome, 'uncertain');
      assert.is(service.sent.length, 0);
      now.ms += 16 * 60_000;
      assert.is((await send()).outcome, 'sent');
      assert.is(service.sent.length, 1);
    }));

  test(`${name}: a draft that a crash left is used, and no second one is made`, () =>
    withService(row, async ({ service, send }) => {
      service.fault = (asked) => (row.create.test(lineOf(asked)) ? 'lost after' : null);
      assert.match(((await send().catch(unread)) as Error).message, /could not be reached/);
      service.fault = () => null;
      assert.is((await send()).outcome, 'sent');
      assert.is(service.asked.filter((asked) => row.create.test(lineOf(asked))).length, 1);
    }));

  test(`${name} refuses a wrong key with its status, which repeats nothing`, () =>
    withService(
      row,
      async ({ send }) =>
        assert.match(((await send().catch(unread)) as Error).message, /refused it with status 40[13]/),
      () => ({ status: 401, body: { message: 'the key is k3y' } }),
    ));

  test(`${name} sends nothing if answers have an unexpected form, or lead to another host`, async () => {
    const evil = { results: [], next: 'https://evil.example/' };
    for (const body of [{}, { results: null, data: null }, { results: [{}], data: [{}] }, [], evil]) {
      await withService(
        row,
        async ({ service, send }) => {
          assert.match(((await send().catch(unread)) as Error).message, /cannot be read/, JSON.stringify(body));
          assert.is(service.asked.filter(({ method }) => method !== 'GET').length, 0);
        },
        () => ({ status: 200, body }),
      );
    }
  });

  test(`${name} shows a prompt full of templates as it is`, () =>
    withService(row, async ({ service, send }) => {
      const hostile =
        '{{ subscriber.email }} {% if x %} {{{RESEND_UNSUBSCRIBE_URL}}} {{ UnsubscribeURL }} {{ "{{" }} {# c #} https://a.example/@TrackLink {{ unsubscribe_url }} }} %} {{{{ x }}}}';
      await inFolder(async (folder) => {
        const agent = { slug: 'one', date: '2026-11-20', front: { title: '"Title {{ x }} {{{y}}}"' } };
        const files = { 'prompt.txt': `${goodPrompt}${hostile}\n` };
        writeCatalog(folder, [{ ...agent, files }], { postalAddress });
        await send(planIn(folder, '2026-11-20'));
      });
      const [mail] = service.sent;
      const shown = load(mail?.html ?? '');
      shown('.plate br').replaceWith('\n');
      assert.is(shown('.plate').text(), `${goodPrompt}${hostile}`);
      assert.is(shown('a:contains("Unsubscribe")').attr('href'), 'https://leave.example/');
      assert.match((mail?.subject ?? '').replaceAll(' ', ''), 'Title{{x}}{{{y}}}');
      if (mail?.text == null) return;
      const noted = mail.text.startsWith('Some braces in this text are separated by spaces.');
      assert.is(noted, name === 'resend');
      const solid = (text: string) => (noted ? text.replaceAll(' ', '') : text);
      assert.ok(solid(mail.text).includes(solid(hostile)), mail.text);
      assert.match(mail.text, '\nUnsubscribe: https://leave.example/\n');
    }));

  test(`${name} sends a test to one address only`, () =>
    withService(row, async ({ service, sender, send }) => {
      await sender.test(smallSubject(), 'me@press.example');
      assert.equal(
        service.tests.map(({ address }) => address),
        ['me@press.example'],
      );
      assert.is(service.sent.length, 0);
      assert.is((await send()).outcome, 'sent');
    }));
}

test('a mail that Buttondown calls paused is left to a person', () =>
  withService(
    rows.buttondown as Row,
    async ({ service, send }) => {
      for (const again of [1, 2]) assert.is((await send()).outcome, 'uncertain', `run ${again}`);
      assert.is(service.sent.length, 1);
    },
    buttondown('daily', () => 'paused'),
  ));

test('a template of listmonk that counts readers is refused', () =>
  withService(
    rows.listmonk as Row,
    async ({ service, send }) => {
      assert.match(((await send().catch(unread)) as Error).message, /^Template 7 .* without TrackView/);
      assert.is(service.sent.length, 0);
    },
    listmonk('<body>{{ template "content" . }}{{ TrackView }}</body>'),
  ));

test.run();
