import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder } from '../../support/catalog.ts';
import { announcementOf, journalIn, resolveAll, smallSubject } from '../../support/mail/announcing.ts';
import { type Row, rows, withService } from '../../support/mail/service-rows.ts';
import { buttondown, type Service } from '../../support/mail/services.ts';

/** Which draft is sent if there are several, or if the service does not list it. */

const row = rows.buttondown as Row;
const sentIds = (service: Service) => service.sent.map(({ id }) => id);

test('drafts that a person calls unsent are left alone, and a new one is sent', () =>
  withService(row, async ({ service, sender, send, folder }) => {
    const plan = announcementOf(smallSubject());
    const journal = journalIn(folder);
    assert.match(
      await resolveAll(plan, journal, true).catch((error) => error.message),
      /^No email of No\. 1.* is recorded here\.$/,
    );
    for (const draft of ['em_1', 'em_2']) {
      service.fault = ({ path }) => (path.endsWith('/publish') ? 'lost before' : null);
      assert.match((await send()).message, ` Look at ${draft} there.`);
      service.fault = () => null;
      assert.is(await resolveAll(plan, journal, false), 'No. 1 will be sent by the next run.');
      assert.match(
        await resolveAll(plan, journal, false).catch((error) => error.message),
        /^No email of .* has an unknown outcome/,
      );
    }
    assert.is((await send()).outcome, 'sent');
    // A machine that knows nothing of the drafts finds the email that was sent.
    await inFolder(async (other) => {
      const claim = await journalIn(other).claim(plan.subject.key);
      const { outcome } = await sender.send(plan.subject, claim).finally(() => claim.release());
      assert.is(outcome, 'announced-already');
    });
    assert.equal(sentIds(service), ['em_3']);
  }));

test('a draft that was stored, but that nobody asked the service to send, can be given up', () =>
  inFolder(async (folder) => {
    const plan = announcementOf(smallSubject());
    const journal = journalIn(folder);
    const claim = await journal.claim(plan.subject.key);
    await claim.append({ type: 'drafted', draft: 'em_1' });
    await claim.release();
    assert.is(await resolveAll(plan, journal, false), 'No. 1 will be sent by the next run.');
    assert.equal((await journal.read(plan.subject.key))?.abandoned, ['em_1']);
  }));

test('of drafts that two machines stored at the same time, both send the same one', () => {
  const inner = buttondown();
  return withService(
    row,
    async ({ service, send }) => {
      assert.is((await send()).outcome, 'sent');
      assert.equal(sentIds(service), ['em_1']);
    },
    (asked, service) => {
      // The other machine is a moment earlier, so the draft of this one is em_2.
      if (asked.method === 'POST' && asked.path === '/v1/emails') inner(asked, service);
      return inner(asked, service);
    },
  );
});

test('an email that the service does not list is found by the id that was recorded', () => {
  const inner = buttondown();
  return withService(
    row,
    async ({ service, send }) => {
      for (const outcome of ['sent', 'announced-already']) assert.is((await send()).outcome, outcome);
      assert.equal(sentIds(service), ['em_1']);
    },
    (asked, service) =>
      asked.method === 'GET' && asked.path === '/v1/emails'
        ? { status: 200, body: { results: [], next: null } }
        : inner(asked, service),
  );
});

test('a draft that the service refused to send is sent by the next run, without a question', () =>
  withService(row, async ({ service, send }) => {
    service.fault = ({ path }) => (path.endsWith('/publish') ? 402 : null);
    assert.match(await send().catch((error) => error.message), /^The email was not sent: .* with status 402\.$/);
    service.fault = () => null;
    assert.is((await send()).outcome, 'sent');
    assert.equal(sentIds(service), ['em_1']);
  }));

test.run();
