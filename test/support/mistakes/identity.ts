import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type SmallAgent, smallAgent, writeFiles } from '../catalog.ts';
import { gitSync } from '../git.ts';
import { front, type Mistake, md, one } from './row.ts';

const published = one({ front: { issue: '1' } });

/** Mistakes in the titles, slugs, numbers and dates of agents, and changes to published agents. */
export const identityMistakes: Mistake[] = [
  {
    name: 'the same title twice, except for case and spaces',
    code: 'title/taken',
    at: 'agents/one/agent.md:2:8',
    agents: [
      { slug: 'one', date: '2026-01-02', front: { title: 'The  STOCK checker' } },
      { slug: 'two', date: '2026-01-01', front: { title: 'The stock checker', issue: '1' } },
    ],
  },
  {
    name: 'a title twice, on two agents without a number',
    code: 'title/taken',
    at: 'agents/one/agent.md:2:8',
    agents: [
      { slug: 'one', date: '2026-01-02', front: { title: 'The stock checker' } },
      { slug: 'two', date: '2026-01-01', front: { title: 'The stock checker' } },
    ],
  },
  {
    name: 'a title that an earlier draft has too',
    code: 'title/taken',
    at: 'agents/one/agent.md:2:8',
    agents: [
      { slug: 'one', date: '2026-01-01', front: { title: 'The stock checker', draft: 'true' } },
      { slug: 'two', date: '2026-01-02', front: { title: 'The stock checker' } },
    ],
  },
  {
    name: 'the same number twice',
    code: 'issue/taken',
    at: 'agents/two/agent.md:30:8',
    agents: [
      { slug: 'one', date: '2026-01-01', front: { issue: '1' } },
      { slug: 'two', date: '2026-01-02', front: { issue: '1' } },
    ],
  },
  {
    name: 'numbers in another order than the dates',
    code: 'issue/order',
    at: 'agents/two/agent.md:30:8',
    agents: [
      { slug: 'one', date: '2026-01-02', front: { issue: '1' } },
      { slug: 'two', date: '2026-01-01', front: { issue: '2' } },
    ],
  },
  {
    name: 'a number before its day',
    code: 'issue/early',
    at: 'agents/two/agent.md:30:8',
    agents: [
      { slug: 'one', date: '2026-01-01', front: { issue: '1' } },
      { slug: 'two', date: '2026-02-14', front: { issue: '2' } },
    ],
  },
  {
    name: 'a number that skips one',
    code: 'issue/skipped',
    at: 'agents/two/agent.md:30:8',
    agents: published,
    change: (folder) => afterCommit(folder, { slug: 'two', date: '2026-01-02', front: { issue: '3' } }),
  },
  { name: 'a numbered draft', code: 'issue/draft', at: `${md}:31:8`, agents: front({ issue: '1', draft: 'true' }) },
  {
    name: 'the same date twice',
    code: 'date/taken',
    at: 'agents/two/agent.md:3:7',
    agents: [
      { slug: 'one', date: '2026-01-01' },
      { slug: 'two', date: '2026-01-01' },
    ],
  },
  {
    name: 'a date twice, first on a draft',
    code: 'date/taken',
    at: 'agents/one/agent.md:3:7',
    agents: [
      { slug: 'one', date: '2026-01-01', front: { draft: 'true' } },
      { slug: 'two', date: '2026-01-01' },
    ],
  },
  {
    name: 'a date twice, the second time on an agent with a number',
    code: 'date/taken',
    at: 'agents/one/agent.md:3:7',
    agents: [
      { slug: 'one', date: '2026-01-01' },
      { slug: 'two', date: '2026-01-01', front: { issue: '1' } },
    ],
  },
  {
    name: 'a new agent with a past date',
    code: 'date/backdated',
    at: 'agents/two/agent.md:3:7',
    agents: [
      { slug: 'one', date: '2026-01-05', front: { issue: '1' } },
      { slug: 'two', date: '2026-01-03' },
    ],
  },
  {
    name: 'a withdrawn agent that was never published',
    code: 'withdrawn/unnumbered',
    at: `${md}:30:12`,
    agents: front({ withdrawn: 'It was wrong.' }),
  },
  {
    name: 'a deleted agent that was published',
    code: 'record/deleted',
    at: 'agents/one:1:1',
    agents: published,
    change(folder) {
      commitAll(folder);
      rmSync(join(folder, 'agents/one'), { recursive: true });
    },
  },
  {
    name: 'a published agent whose folder was renamed',
    code: 'record/renamed',
    at: 'agents/other/agent.md:30:8',
    agents: published,
    change(folder) {
      commitAll(folder);
      renameSync(join(folder, 'agents/one'), join(folder, 'agents/other'));
    },
  },
  {
    name: 'a published agent that became a draft again',
    code: 'record/issue',
    at: `${md}:30:8`,
    agents: published,
    change: (folder) => afterCommit(folder, { slug: 'one', date: '2026-01-01', front: { draft: 'true' } }),
  },
  {
    name: 'a published agent with another date',
    code: 'record/date',
    at: `${md}:3:7`,
    agents: published,
    change: (folder) => afterCommit(folder, { slug: 'one', date: '2026-03-01', front: { issue: '1' } }),
  },
  {
    name: 'a former slug that is the name of a folder',
    code: 'slug/taken',
    at: 'agents/two/agent.md:30:15',
    agents: [
      { slug: 'one', date: '2026-01-01' },
      { slug: 'two', date: '2026-01-02', front: { formerSlugs: '[one]' } },
    ],
  },
  {
    name: 'a former slug that a later folder has',
    code: 'slug/taken',
    at: 'agents/one/agent.md:30:20',
    agents: [
      { slug: 'one', date: '2026-01-01', front: { formerSlugs: '[old, two]' } },
      { slug: 'two', date: '2026-01-02' },
    ],
  },
  {
    name: 'a former slug that two agents claim',
    code: 'slug/taken',
    at: 'agents/two/agent.md:30:15',
    agents: [
      { slug: 'one', date: '2026-01-02', front: { formerSlugs: '[old]' } },
      { slug: 'two', date: '2026-01-01', front: { formerSlugs: '[old]' } },
    ],
  },
  {
    name: 'a new folder with the former slug of a published agent',
    code: 'slug/taken',
    at: 'agents/two/agent.md:2:8',
    agents: [
      { slug: 'one', date: '2026-01-01', front: { issue: '1', formerSlugs: '[two]' } },
      { slug: 'two', date: '2026-01-02' },
    ],
  },
  {
    name: 'the prompt of another agent',
    code: 'editorial/near-duplicate',
    at: 'agents/two/prompt.txt:1:1',
    agents: [
      { slug: 'one', date: '2026-01-01' },
      { slug: 'two', date: '2026-01-02' },
    ],
    settings: { rules: {} },
  },
  {
    name: 'a tag in the singular, where others have the plural',
    code: 'editorial/similar-tag',
    at: 'agents/two/agent.md:5:8',
    agents: [
      { slug: 'one', date: '2026-01-01', front: { tags: '[unit-tests, small]' } },
      { slug: 'two', date: '2026-01-02', front: { tags: '[unit-test, small]' } },
    ],
  },
];

/** Makes the folder a repository and commits everything in it. */
function commitAll(folder: string): void {
  gitSync(folder, 'init', '--quiet', '--initial-branch', 'main');
  gitSync(folder, 'add', '--all');
  gitSync(folder, 'commit', '--quiet', '-m', 'Publish');
}

/** Commits everything in the folder, then writes an agent. */
function afterCommit(folder: string, agent: SmallAgent): void {
  commitAll(folder);
  writeFiles(join(folder, 'agents', agent.slug), smallAgent(agent));
}
