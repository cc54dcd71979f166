import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { StoredVote } from '../../../src/storage/vote.ts';
import { type ReportOptions, renderReport, reportVotes, type VoteReport } from '../../../src/storage/vote-report.ts';

let last = 0;

/** A vote as `voter slug yes|no`, on 2026-11-21 unless a time is given. */
function vote(brief: string, rest: { time?: string; note?: string } = {}): StoredVote {
  const [voter = '', slug = '', choice] = brief.split(' ');
  last += 1;
  return { id: `id-${last}`, time: '2026-11-21T12:00:00.000Z', slug, vote: choice as 'yes' | 'no', voter, ...rest };
}

/** The agents of a report, each as `slug yes/votes`. */
async function counts(votes: StoredVote[], options?: ReportOptions): Promise<string[]> {
  const { agents } = await reportVotes(votes, options);
  return agents.map(({ slug, yes, votes: all, withdrawn }) => `${slug} ${yes}/${all}${withdrawn ? ' withdrawn' : ''}`);
}

const rows: { name: string; votes: StoredVote[]; options?: ReportOptions; expected: string[] }[] = [
  { name: 'nothing', votes: [], expected: [] },
  { name: 'two voters', votes: [vote('v a yes'), vote('w a no')], expected: ['a 1/2'] },
  { name: 'the last vote of a voter that day', votes: [vote('v a yes'), vote('v a no')], expected: ['a 0/1'] },
  {
    name: 'the last of three, with others between',
    votes: [vote('v a no'), vote('w a no'), vote('v a yes'), vote('v b no'), vote('v a yes')],
    expected: ['a 1/2', 'b 0/1'],
  },
  {
    name: 'one pseudonym on two days twice',
    votes: [vote('v a yes', { time: '2026-11-20T23:59:59.999Z' }), vote('v a no')],
    expected: ['a 1/2'],
  },
  {
    name: 'most votes first, then by slug',
    votes: [vote('v c yes'), vote('v b yes'), vote('v a yes'), vote('w c yes')],
    expected: ['c 2/2', 'a 1/1', 'b 1/1'],
  },
  {
    name: 'a former slug with its new one, once a voter',
    votes: [vote('v old yes'), vote('v new no'), vote('w older yes')],
    options: {
      formerSlugs: new Map([
        ['older', 'old'],
        ['old', 'new'],
      ]),
    },
    expected: ['new 1/2'],
  },
  {
    name: 'former slugs in a circle, without hanging',
    votes: [vote('v a yes')],
    options: {
      formerSlugs: new Map([
        ['a', 'b'],
        ['b', 'a'],
      ]),
    },
    expected: ['a 1/1'],
  },
  {
    name: 'withdrawn agents, marked',
    votes: [vote('v a yes'), vote('v b yes')],
    options: { titles: new Map([['a', 'A']]) },
    expected: ['a 1/1', 'b 1/1 withdrawn'],
  },
  {
    name: 'a former slug of an agent that is published, unmarked',
    votes: [vote('v old yes')],
    options: { titles: new Map([['new', 'New']]), formerSlugs: new Map([['old', 'new']]) },
    expected: ['new 1/1'],
  },
  {
    name: 'what came since an instant, that instant included',
    votes: [
      vote('v a yes', { time: '2026-11-20T23:59:59.999Z' }),
      vote('w a no', { time: '2026-11-21T00:00:00Z' }),
      vote('x a yes'),
    ],
    options: { since: new Date('2026-11-21T00:00:00Z') },
    expected: ['a 1/2'],
  },
];

for (const { name, votes, options, expected } of rows) {
  test(`counts ${name}`, async () => {
    assert.equal(await counts(votes, options), expected);
  });
}

test('gives totals, shares and the last notes', async () => {
  const votes = [
    vote('v a yes', { note: 'first' }),
    vote('w a yes'),
    vote('x a no', { note: 'second' }),
    vote('v b yes', { note: '' }),
    vote('v a no', { note: 'third' }),
  ];
  const note = (index: number) => {
    const { id, time, slug, vote: choice, note: text } = votes[index] as StoredVote;
    return { id, time, slug, vote: choice, note: text as string };
  };
  const bare = { title: null, withdrawn: false };
  const report: VoteReport = {
    since: '2026-11-01T00:00:00.000Z',
    totals: { votes: 4, yes: 2, no: 2, share: 0.5 },
    agents: [
      { slug: 'a', votes: 3, yes: 1, no: 2, share: 0.3333, ...bare, notes: 2, lastNote: note(4) },
      { slug: 'b', votes: 1, yes: 1, no: 0, share: 1, ...bare, notes: 0, lastNote: null },
    ],
    days: [{ day: '2026-11-21', yes: 2, no: 2 }],
    notes: [note(4), note(2)],
    malformed: 7,
  };
  const options = { since: new Date('2026-11-01'), notes: 2, malformed: () => 7 };
  assert.equal(await reportVotes(votes, options), report);
});

test('days are in order, whatever the order of the votes', async () => {
  const votes = [22, 20, 21].map((day) => vote('v a yes', { time: `2026-11-${day}T12:00:00.000Z` }));
  const { days } = await reportVotes(votes);
  assert.equal(
    days.map(({ day }) => day),
    ['2026-11-20', '2026-11-21', '2026-11-22'],
  );
});

test('notes count as votes do: the last note of a voter for an agent on a day, with the vote that counts', async () => {
  const votes = [
    vote('v a yes', { note: 'first thought' }),
    vote('v a yes', { note: 'second thought' }),
    vote('w a yes', { note: 'from another reader' }),
    vote('v a no'),
  ];
  const { agents, notes } = await reportVotes(votes);
  assert.equal([agents[0]?.votes, agents[0]?.no, agents[0]?.notes], [2, 1, 2]);
  assert.equal(
    notes.map(({ vote: choice, note }) => [choice, note]),
    [
      ['yes', 'from another reader'],
      ['no', 'second thought'],
    ],
  );
});

test('notes on a renamed agent are shown with its current slug', async () => {
  const votes = [vote('v old yes', { note: 'before' }), vote('w new no', { note: 'after' })];
  const { agents, notes } = await reportVotes(votes, { notes: 2, formerSlugs: new Map([['old', 'new']]) });
  assert.equal(
    notes.map(({ slug, note }) => [slug, note]),
    [
      ['new', 'after'],
      ['new', 'before'],
    ],
  );
  const first = await reportVotes(votes.slice(0, 1), { notes: 1, formerSlugs: new Map([['old', 'new']]) });
  assert.equal([agents[0]?.lastNote?.note, first.agents[0]?.lastNote?.slug], ['after', 'new']);
});

test('keeps the requested number of notes, the latest ones', async () => {
  const votes = Array.from({ length: 5000 }, (_, index) => vote(`v${index} a yes`, { note: `note ${index}` }));
  for (const notes of [0, 1, 3]) {
    const report = await reportVotes(votes, { notes });
    assert.equal(
      report.notes.map(({ note }) => note),
      ['note 4999', 'note 4998', 'note 4997'].slice(0, notes),
    );
  }
});

test('text: a table, the last notes and what was left out', async () => {
  const votes = [
    vote('v release-notes yes', { note: 'fine\n\nindeed' }),
    vote('w release-notes yes'),
    vote('x release-notes no'),
    vote('v b no', { note: '\u001b[2Jgone\u202e' }),
  ];
  const report = await reportVotes(votes, {
    titles: new Map([['release-notes', 'Release \u001bnotes']]),
    malformed: () => 1,
  });
  assert.is(
    renderReport(report, 'text'),
    `agent           votes  yes  no   share  notes
Release �notes      3    2   1  66.7 %      1
b (withdrawn)       1    0   1   0.0 %      1
all                 4    2   2  50.0 %      2

Last notes
2026-11-21T12:00:00.000Z  b  no  �[2Jgone�
2026-11-21T12:00:00.000Z  release-notes  yes  fine indeed

1 line is not a vote and was left out.
`,
  );
});

test('text: no votes', async () => {
  assert.is(renderReport(await reportVotes([]), 'text'), 'No votes.\n');
  const since = new Date('2026-11-21T00:00:00Z');
  assert.is(
    renderReport(await reportVotes([], { since, malformed: () => 2 }), 'text'),
    'No votes since 2026-11-21T00:00:00.000Z.\n\n2 lines are not votes and were left out.\n',
  );
});

test('of thousands of notes, as many as asked for are shown, newest first', async () => {
  const votes = Array.from({ length: 1_041 }, (_, index) => vote(`v${index} a yes`, { note: String(index) }));
  const { notes } = await reportVotes(votes, { notes: 20 });
  assert.equal(
    notes.map(({ note }) => note),
    Array.from({ length: 20 }, (_, index) => String(1_040 - index)),
  );
});

test('text: the time from which votes count', async () => {
  const report = await reportVotes([vote('v a yes')], { since: new Date('2026-11-21T00:00:00Z') });
  assert.is(
    renderReport(report, 'text'),
    `agent                               votes  yes  no    share  notes
a                                       1    1   0  100.0 %      0
all since 2026-11-21T00:00:00.000Z      1    1   0  100.0 %      0
`,
  );
});

test.run();
