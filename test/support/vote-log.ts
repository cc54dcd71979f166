import { inFolder, writeFiles } from './catalog.ts';

/** A vote log made by hand, for `catalog votes`. */

interface Vote {
  id?: string;
  time?: string;
  slug?: string;
  vote?: 'yes' | 'no';
  note?: string;
  voter?: number;
}

/** A line of a vote log. */
export const line = ({
  id = 'v',
  time = '2026-11-02T10:00:00.000Z',
  slug = 'one',
  vote = 'yes',
  note,
  voter = 1,
}: Vote) => `${JSON.stringify({ id, time, slug, vote, note, voter: String(voter).padStart(32, '0') })}\n`;

/** Votes, a line that is none, and the start of one that was cut off. */
export const log = [
  line({ id: 'v1', time: '2026-11-01T23:59:59.999Z', vote: 'no', note: 'too long', voter: 1 }),
  line({ id: 'v2', voter: 1, note: '=HYPERLINK("http://evil.example")' }),
  line({ id: 'v3', voter: 2, slug: 'old-one' }),
  'not a vote\n',
  line({ id: 'v4', voter: 3, vote: 'no' }),
  line({ id: 'v5', voter: 3, vote: 'yes' }),
  line({ id: 'v6', voter: 4, slug: 'gone', note: 'bell � and �[2J line\nbreak' }),
  '{"id":"v7","time":"2026-1',
].join('');

/** Runs `work` with a folder that has this log in data/ and a build that has `one`, formerly `old-one`, in dist/. */
export async function withLog(work: (folder: string) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    writeFiles(folder, { 'data/votes.jsonl': log });
    writeBuild(folder, 'dist');
    await work(folder);
  });
}

/** Writes what the report reads of a build. */
export function writeBuild(folder: string, dist: string): void {
  writeFiles(folder, {
    [`${dist}/build.json`]: JSON.stringify({ moved: { 'old-one': 'one' } }),
    [`${dist}/api/agents.json`]: JSON.stringify({ agents: [{ slug: 'one', title: 'The one' }] }),
  });
}
