import { load } from 'cheerio';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, writeCatalog } from '../../support/catalog.ts';
import { goodPrompt } from '../../support/good-agent.ts';
import { journalIn, planIn, postalAddress, smallSubject } from '../../support/mail/announcing.ts';
import { type Row, rows, withService } from '../../support/mail/service-rows.ts';
import { buttondown, listmonk } from '../../support/mail/services.ts';

/** Each service, imitated after its documentation: exactly one email, to the list and to nobody else, with its text as it is. */

const lineOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
const unread = (error: unknown) => error as Error;

for (const [name, row] of Object.entries(rows)) {
  test(`${name} sends one email to the list, with an address to unsubscribe, however often it is asked`, () =>
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

  test(`${name} finds an email among emails of other days, also on a further page`, () =>
    withService(row, async ({ service, sender, send }) => {
      const subjects = ['', '-2', '-3', '-4', '-5'].map((ending) => {
        const subject = smallSubject();
        return { ...subject, key: `${subject.key}${ending}` };
      });
      for (const subject of subjects.toReversed()) assert.is((await send(subject)).outcome, 'sent', subject.key);
      await inFolder(async (other) => {
        for (const subject of subjects) {
          const claim = await journalIn(other).claim(subject.key);
          const { outcome } = await sender.send(subject, claim).finally(() => claim.release());
          assert.is(outcome, 'announced-already', subject.key);
        }
      });
      assert.is(service.sent.length, 5);
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
    test(`${name}: a request of a send that is ${fault} leads to one email in the end, or to a question`, () =>
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

  test(`${name}: a service that asks to wait gets each request again after that time, and the readers one email`, () =>
    withService(row, async ({ service, send, waits, now }) => {
      const known = new Set<string>();
      service.fault = (asked) => {
        if (known.size === 3 || known.has(lineOf(asked))) return null;
        known.add(lineOf(asked));
        // As seconds, or as a date.
        return { status: 429, retryAfter: known.size === 2 ? new Date(now.ms + 90_000).toUTCString() : '60' };
      };
      assert.is((await send()).outcome, 'sent');
      assert.equal(waits.slice(0, 3), [60_000, 90_000, 60_000]);
      assert.is(service.sent.length, 1);
      service.fault = (asked) =>
        row.send.test(lineOf(asked)) && waits.length < 8 ? { status: 429, retryAfter: '0' } : null;
      waits.splice(0);
      const other = { ...smallSubject(), key: `${smallSubject().key}-2` };
      assert.is((await send(other)).outcome, 'sent');
      assert.equal([waits, service.sent.length], [Array(8).fill(1000), 2]);
    }));

  test(`${name}: a run waits ten minutes in all for a service that asks to, and no longer`, () =>
    withService(row, async ({ service, send, waits }) => {
      service.fault = () => ({ status: 429, retryAfter: '200' });
      assert.match(((await send().catch(unread)) as Error).message, /status 429/);
      assert.equal(waits, [200_000, 200_000, 200_000]);
      service.fault = ({ method }) => (method === 'GET' ? null : { status: 503, retryAfter: '5' });
      // Whether a request had an effect is not known after 503.
      assert.match(((await send().catch(unread)) as Error).message, /status 503/);
      assert.is(waits.length, 3);
    }));

  test(`${name}: a draft of an earlier run is sent with the email of the agent as it is now`, () =>
    withService(row, async ({ service, send }) => {
      // The service refuses to send, such as an account that has to be paid. Meanwhile, the agent is corrected.
      service.fault = (asked) => (row.send.test(lineOf(asked)) ? 402 : null);
      await send().catch(unread);
      service.fault = () => null;
      const { mail, ...subject } = smallSubject();
      const corrected = { ...mail, subject: 'Corrected', html: mail.html.replace('Leave', 'Corrected: leave') };
      assert.is((await send({ ...subject, mail: corrected })).outcome, 'sent');
      assert.equal(
        service.sent.map((sent) => [sent.to, sent.subject, sent.html.includes('Corrected: leave')]),
        [[row.to, 'Corrected', true]],
      );
      assert.is(service.asked.filter((asked) => row.create.test(lineOf(asked))).length, 1);
    }));

  test(`${name}: an interrupted send is not repeated before its result is clear`, () =>
    withService(row, async ({ service, send, now }) => {
      // The time counts from the request to send, not from an earlier run that stored no draft.
      service.fault = () => 'lost before';
      await send().catch(unread);
      now.ms += 60 * 60_000;
      service.fault = (asked) => (row.send.test(lineOf(asked)) ? 'lost before' : null);
      const began = now.ms;
      const lost = await send();
      assert.is(lost.outcome, 'uncertain');
      assert.match(lost.message, /is not known.*could not be reached.*--resolve sent or --resolve unsent\.$/);
      service.fault = () => null;
      now.ms = began + 15 * 60_000 - 1;
      assert.is((await send()).outcome, 'uncertain');
      assert.is(service.sent.length, 0);
      now.ms += 1;
      assert.is((await send()).outcome, 'sent');
      assert.is(service.sent.length, 1);
    }));

  test(`${name}: a service that never answers is given up, and asked what it did`, () =>
    withService(row, async ({ service, send }) => {
      service.fault = ({ method }) => (method === 'GET' ? 'no answer' : null);
      assert.match(((await send().catch(unread)) as Error).message, /took too long\.$/);
      service.fault = (asked) => (row.send.test(lineOf(asked)) ? 'no answer' : null);
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
        assert.match(
          ((await send().catch(unread)) as Error).message,
          /^This run sent nothing: .* refused it with status 40[13]/,
        ),
      () => ({ status: 401, body: { message: 'the key is k3y' } }),
    ));

  test(`${name} sends nothing if answers have an unexpected form, or lead to another host`, async () => {
    const evil = { results: [], next: 'https://evil.example/' };
    for (const body of [{}, { results: null, data: null }, { results: [{}], data: [{}] }, [], evil]) {
      await withService(
        row,
        async ({ service, send }) => {
          assert.match(
            ((await send().catch(unread)) as Error).message,
            /not in the expected form|cannot be read to its end/,
            JSON.stringify(body),
          );
          assert.is(service.asked.filter(({ method }) => method !== 'GET').length, 0);
        },
        () => ({ status: 200, body }),
      );
    }
  });

  test(`${name} shows a prompt full of templates as it is`, () =>
    withService(row, async ({ service, send }) => {
      const hostile =
        '{{ subscriber.email }} {% if x %} {{{RESEND_UNSUBSCRIBE_URL}}} {{ UnsubscribeURL }} {{ "{{" }} {# c #} https://a.example/@TrackLink {{ unsubscribe_url }} }} %} {{{{ x }}}} <b "\\';
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

  test(`${name} sends a test to one address only, and not the email of the test to readers`, () =>
    withService(row, async ({ service, sender, send }) => {
      const { mail, ...subject } = smallSubject();
      await sender.test({ ...subject, mail: { ...mail, subject: '[Test] A mail' } }, 'me@press.example');
      assert.equal(
        service.tests.map(({ address }) => address),
        ['me@press.example'],
      );
      assert.is(service.sent.length, 0);
      assert.is((await send()).outcome, 'sent');
      assert.equal(
        service.sent.map((sent) => sent.subject),
        ['The one agent (No. 1)'],
      );
    }));
}

test('an email that Buttondown calls paused is left to a person', () =>
  withService(
    rows.buttondown as Row,
    async ({ service, send }) => {
      for (const again of [1, 2]) assert.is((await send()).outcome, 'uncertain', `run ${again}`);
      assert.is(service.sent.length, 1);
    },
    buttondown('daily', () => 'paused'),
  ));

test('a state that is not known is printed only if it is short', async () => {
  for (const [state, printed] of [
    ['sent\u001b[2J', /it calls the email "sent\\u001b\[2J"\. Look at em_1 there\./],
    ['x'.repeat(1000), /: it calls the email "unreadable"\./],
  ] as const) {
    await withService(
      rows.buttondown as Row,
      async ({ send }) => assert.match((await send()).message, printed),
      buttondown('daily', () => state),
    );
  }
});

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
