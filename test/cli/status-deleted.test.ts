import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type SmallAgent, writeCatalog } from '../support/catalog.ts';
import { commitAt, gitSync } from '../support/git.ts';
import { inRepository } from '../support/publication.ts';
import { status } from '../support/schedule.ts';

/** `catalog status` shows published agents whose folder is not there: as text, JSON and months alike. */

const agents: SmallAgent[] = [
  { slug: 'one', date: '2026-11-17', front: { issue: '1' } },
  { slug: 'two', date: '2026-11-18', front: { issue: '2' } },
];
const gone = (issue: number, slug: string, date: string, errors: number) => ({
  issue,
  date,
  slug,
  title: null,
  errors,
});

/** What the three forms show. */
async function shown(folder: string) {
  const [text, json, months] = await Promise.all([
    status(folder),
    status(folder, '--format', 'json'),
    status(folder, '--calendar'),
  ]);
  assert.equal([text.code, json.code, months.code], [0, 0, 0]);
  return { text: text.stdout, json: JSON.parse(json.stdout), months: months.stdout };
}

test('a deleted agent is an error with its number, not an agent that was never published', () =>
  inRepository(async ({ editor }) => {
    rmSync(join(editor, 'agents'), { recursive: true });
    writeCatalog(editor, []);
    const { text, json, months } = await shown(editor);
    assert.match(text, 'Published: nothing\n');
    assert.match(text, 'Deleted: 2\n  #1  2026-11-17  one  (1 error)\n  #2  2026-11-18  two  (1 error)\n');
    assert.match(text, 'With errors (validate shows them): 2\n  deleted  2026-11-17  one  1 error\n');
    assert.equal(json.published, []);
    assert.equal(json.deleted, [gone(1, 'one', '2026-11-17', 1), gone(2, 'two', '2026-11-18', 1)]);
    assert.equal(json.faulty[1], { slug: 'two', date: '2026-11-18', state: 'deleted', errors: 1 });
    assert.match(months, /^ 16 {2}17! 18! 19- /m);
    assert.match(months, 'with errors 2, missed 2,');
  }, agents));

test('an agent that an earlier commit deleted is no error any more, but its day stays taken', () =>
  inRepository(async ({ editor }) => {
    rmSync(join(editor, 'agents/two'), { recursive: true });
    writeCatalog(editor, [{ slug: 'three', date: '2026-11-21' }]);
    commitAt(editor, '2026-11-20T12:00:00Z');
    gitSync(editor, 'push', '--quiet');
    const { text, json, months } = await shown(editor);
    assert.match(text, 'Published: 1\n  #1  2026-11-17  one  The one agent\n');
    assert.match(text, 'Due now (with the numbers they will get): 1\n  #3 ');
    assert.match(text, 'Deleted: 1\n  #2  2026-11-18  two\n');
    assert.not.match(text, 'With errors');
    assert.equal([json.deleted, json.faulty], [[gone(2, 'two', '2026-11-18', 0)], []]);
    assert.match(months, /^ 16 {2}17# 18= 19- 20->21\+ /m);
    assert.match(months, 'deleted 1, missed 2,');
  }, agents));

test('an agent whose deletion is committed is named without a remote, and without an agent that needs a number', () =>
  inRepository(async ({ editor }) => {
    gitSync(editor, 'remote', 'remove', 'origin');
    rmSync(join(editor, 'agents/two'), { recursive: true });
    commitAt(editor, '2026-11-20T12:00:00Z');
    const { text, json, months } = await shown(editor);
    assert.match(text, 'Published: 1\n  #1  2026-11-17  one  The one agent\n');
    assert.match(text, 'Deleted: 1\n  #2  2026-11-18  two\n');
    assert.equal(json.deleted, [gone(2, 'two', '2026-11-18', 0)]);
    assert.match(months, 'deleted 1');
  }, agents));

test('an agent that was published after this branch was created is published', () =>
  inRepository(async ({ editor }) => {
    gitSync(editor, 'checkout', '--quiet', '-b', 'proposal');
    gitSync(editor, 'checkout', '--quiet', 'main');
    writeCatalog(editor, [{ slug: 'three', date: '2026-11-19', front: { issue: '3' } }]);
    commitAt(editor, '2026-11-19T12:00:00Z');
    gitSync(editor, 'push', '--quiet');
    gitSync(editor, 'checkout', '--quiet', 'proposal');
    const { text, json, months } = await shown(editor);
    assert.match(text, 'Published: 3\n');
    assert.match(text, '  #3  2026-11-19  three\n');
    assert.equal([json.published[2], json.deleted, json.faulty], [gone(3, 'three', '2026-11-19', 0), [], []]);
    assert.match(months, /^ 16 {2}17# 18# 19# 20->21\. /m);
  }, agents));

test.run();
