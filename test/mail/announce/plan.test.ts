import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { NextAnnouncement } from '../../../src/mail/announce.ts';
import type { Sender } from '../../../src/mail/campaign.ts';
import { inFolder, writeCatalog } from '../../support/catalog.ts';
import { journalIn, postalAddress, siteIn } from '../../support/mail/announcing.ts';

/** What is announced: the agents of a digest, the week that it belongs to, and until when an agent counts as new. */

/** The days of agents of consecutive days, and the site that has them. */
const withAgents = (days: readonly string[], use: (site: ReturnType<typeof siteIn>, folder: string) => unknown) =>
  inFolder(async (folder) => {
    const agents = days.map((date, at) => ({ slug: `agent-${at + 1}`, date }));
    writeCatalog(folder, agents, { postalAddress });
    await use(siteIn(folder, days.at(-1) ?? ''), folder);
  });

/** Weeks begin on Monday, and belong to the year that has their Thursday (ISO 8601). */
const weeks = [
  ['2026-01-04', '2026-W01'],
  ['2026-01-05', '2026-W02'],
  ['2027-01-01', '2026-W53'],
  ['2024-12-30', '2025-W01'],
  ['2023-01-01', '2022-W52'],
] as const;
for (const [day, week] of weeks) {
  test(`the digest of ${day} is the digest of ${week}`, () =>
    withAgents([day], (site) => {
      const plan = NextAnnouncement.of(site, { list: 'daily', weekly: true });
      assert.equal(
        [plan?.subject.key, plan?.name],
        [`catalog:tag:press.example,2026:catalog:weekly:${week}`, `the digest of week ${week}`],
      );
    }));
}

test('each list has announcements of its own, daily and weekly', () =>
  withAgents(['2026-11-20'], (site) => {
    const keys = (['daily', 'pro', 'custom'] as const).flatMap((list) =>
      [false, true].map((weekly) =>
        NextAnnouncement.of(site, { list, weekly })?.subject.key.split(':').slice(-2).join(':'),
      ),
    );
    assert.equal(keys, [
      ...['daily:2026-11-20', 'weekly:2026-W47', 'pro:2026-11-20', 'pro-weekly:2026-W47'],
      ...['custom:2026-11-20', 'custom-weekly:2026-W47'],
    ]);
  }));

test('a digest has the newest seven of eight agents, and all of them have to be online', () =>
  withAgents(
    Array.from({ length: 8 }, (_, at) => `2026-11-1${at + 1}`),
    async (site, folder) => {
      const expected = [8, 7, 6, 5, 4, 3, 2].map((at) => `agent-${at}`);
      const plan = NextAnnouncement.of(site, { list: 'daily', weekly: true });
      assert.equal(
        plan?.agents.map(({ slug }) => slug),
        expected,
      );
      for (const slug of expected) assert.ok(plan?.subject.mail.text.includes(`The ${slug} agent`), slug);
      assert.not.match(plan?.subject.mail.text ?? '', 'agent-1');
      const checked: string[] = [];
      const checkLive = async ({ slug }: { slug: string }) => void checked.push(slug);
      const journal = journalIn(folder);
      const now = new Date('2026-11-18T08:00:00Z');
      await plan?.announce({ late: false, now, journal, sender, checkLive });
      assert.equal(checked, expected);
    },
  ));

const sender: Sender = {
  name: 'A service',
  audience: async () => 'everyone',
  isSent: async () => false,
  send: async () => ({ outcome: 'sent', message: 'Sent.' }),
  test: async () => '',
};

/** Rows of: what is sent, how long after the start of the day of the agent in hours, and the outcome. */
const ages: [weekly: boolean, late: boolean, hours: number, outcome: string][] = [
  [false, false, 36, 'sent'],
  [false, false, 36.001, 'nothing-new'],
  [false, true, 1000, 'sent'],
  [true, false, 7 * 24, 'sent'],
  [true, false, 7 * 24 + 0.001, 'nothing-new'],
];
for (const [weekly, late, hours, outcome] of ages) {
  test(`${weekly ? 'a digest' : 'an agent'} of ${hours} hours ago${late ? ' with --late' : ''}: ${outcome}`, () =>
    withAgents(['2026-11-20'], async (site, folder) => {
      const now = new Date(Date.parse('2026-11-20T00:00:00Z') + hours * 3_600_000);
      const journal = journalIn(folder);
      const options = { late, now, journal, sender, checkLive: async () => {} };
      const plan = NextAnnouncement.of(site, { list: 'daily', weekly }) as NextAnnouncement;
      const announced = await plan.announce(options);
      assert.is(announced.outcome, outcome);
      if (outcome === 'sent') return;
      assert.match(announced.message, / was not announced\. To send it anyway, add --late\.$/);
      await (await journal.claim(announced.key ?? '')).release();
      assert.match((await plan.announce(options)).message, / was not announced completely\. To send it anyway/);
    }));
}

test.run();
