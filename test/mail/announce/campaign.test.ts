import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Announcement,
  type AnnouncementEvent,
  after,
  type Claim,
} from '../../../src/mail/announcement-journal.ts';
import { ProviderFailed } from '../../../src/mail/calls.ts';
import { type Campaign, type CampaignService, campaignSender } from '../../../src/mail/campaign.ts';
import { smallSubject } from '../../support/mail/announcing.ts';

/** A service that sends campaigns: which one is used, and what counts if the service says several things. */

const time = '2026-11-20T08:00:00.000Z';
const fail = (status: number) =>
  Promise.reject(new ProviderFailed({ provider: 'service', reason: 'refused', status, start: '' }));

/** Sends with a service whose answers these are. Returns what came of it, and what was done. */
async function sendWith(
  {
    lists,
    states,
    sending = () => Promise.resolve(),
  }: {
    /** The campaigns that it finds, each time; the last ones stay. */
    lists: Campaign[][];
    /** What each read of a campaign says; null is an error. */
    states: (string | null)[];
    sending?: () => Promise<void>;
  },
  events: AnnouncementEvent[] = [],
) {
  const done: string[] = [];
  let known = [{ type: 'claimed', key: 'key' } as const, ...events].reduce<Announcement | null>(
    (before, event) => after(before, { ...event, time }),
    null,
  ) as Announcement;
  const claim: Claim = {
    get announcement() {
      return known;
    },
    append: async (event) => {
      known = after(known, { ...event, time });
    },
    release: async () => {},
  };
  const service: CampaignService = {
    name: 'service',
    audience: async () => 'the list',
    find: async () => (lists.length > 1 ? lists.shift() : lists[0]) ?? [],
    store: async (_key, _mail, id) => {
      done.push(id === undefined ? 'create' : `update ${id}`);
      return id ?? 'own';
    },
    async read(id) {
      done.push(`read ${id}`);
      const state = states.shift();
      return state == null ? fail(503) : { id, state };
    },
    async send(id) {
      done.push(`send ${id}`);
      await sending();
    },
    test: async () => '',
  };
  const tools = { now: () => new Date(time), wait: async (ms: number) => void done.push(`wait ${ms}`) };
  const outcome = await campaignSender(service, tools)
    .send(smallSubject(), claim)
    .then(
      (sent) => sent.outcome,
      (error: Error) => error.message,
    );
  return { outcome, done, state: known.state, draft: known.draft };
}

test('of two campaigns with the same key, the one that was sent counts', async () => {
  const lists = [
    [
      { id: 'a', state: 'draft' },
      { id: 'b', state: 'sent' },
    ],
  ];
  const expected = { outcome: 'announced-already', done: [], state: 'sent', draft: 'b' };
  assert.equal(await sendWith({ lists, states: [] }), expected);
});

test('if another machine stored a draft at the same time, both use the same one', async () => {
  const lists = [[], ['own', 'earlier'].map((id) => ({ id, state: 'draft' }))];
  assert.equal(await sendWith({ lists, states: ['draft', 'sent'] }), {
    outcome: 'sent',
    done: ['create', 'read earlier', 'update earlier', 'send earlier', 'read earlier'],
    state: 'sent',
    draft: 'earlier',
  });
});

test('a draft of an earlier run that the service does not list yet is used', async () => {
  assert.equal(
    await sendWith({ lists: [[]], states: ['draft', 'draft', 'sent'] }, [{ type: 'drafted', draft: 'own' }]),
    {
      outcome: 'sent',
      done: ['read own', 'read own', 'update own', 'send own', 'read own'],
      state: 'sent',
      draft: 'own',
    },
  );
});

test('drafts that a person gave up one after the other are all left alone', async () => {
  const lists = [['a', 'b'].map((id) => ({ id, state: 'draft' }))];
  const given = ['a', 'b'].flatMap((draft): AnnouncementEvent[] => [
    { type: 'drafted', draft },
    { type: 'unsent', draft },
  ]);
  assert.equal((await sendWith({ lists, states: ['draft', 'sent'] }, given)).done, [
    'create',
    'read own',
    'send own',
    'read own',
  ]);
});

const draft = [[{ id: 'own', state: 'draft' }]];
const readThrice = ['read own', 'update own', 'send own', 'read own', 'wait 1000', 'read own', 'wait 2000', 'read own'];
const rows: [name: string, given: Parameters<typeof sendWith>[0], expected: object][] = [
  [
    'cannot be read at first',
    { lists: draft, states: ['draft', null, null, 'sent'] },
    { outcome: 'sent', done: readThrice, state: 'sent', draft: 'own' },
  ],
  [
    'cannot be read three times',
    { lists: draft, states: ['draft', null, null, null] },
    { outcome: 'uncertain', done: readThrice, state: 'sending', draft: 'own' },
  ],
  [
    'stays a draft, and sending it was refused',
    { lists: draft, states: ['draft', 'draft', 'draft', 'draft'], sending: () => fail(422) },
    {
      outcome: 'The email was not sent: service refused it with status 422.',
      done: readThrice,
      state: 'claimed',
      draft: null,
    },
  ],
  [
    'stays a draft, and whether it was sent is not known',
    { lists: draft, states: ['draft', 'draft', 'draft', 'draft'], sending: () => fail(503) },
    { outcome: 'uncertain', done: readThrice, state: 'sending', draft: 'own' },
  ],
  [
    'is no draft any more, although sending it was refused',
    { lists: draft, states: ['draft', 'scheduled'], sending: () => fail(422) },
    { outcome: 'uncertain', done: ['read own', 'update own', 'send own', 'read own'], state: 'sending', draft: 'own' },
  ],
];
for (const [name, given, expected] of rows) {
  test(`an email that ${name}`, async () => assert.equal(await sendWith(given), expected));
}

test.run();
