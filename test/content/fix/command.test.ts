import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fixesOf, writeFixes } from '../../../src/content/fix-and-rename.ts';
import { inFolder, type SmallAgent, smallAgent, snapshot, writeCatalog, writeFiles } from '../../support/catalog.ts';
import { evalsFiles } from '../../support/evals.ts';
import { goodPrompt, goodSampleInput } from '../../support/good-agent.ts';
import { catalog } from '../../support/process.ts';

/** `catalog fix` as a command: what it shows, and which files it changes. */

const withPrompt = (tail: string) => `${goodPrompt}${tail}`;
const secret = ['ghp', 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6'].join('_');
const agents: SmallAgent[] = [
  { slug: 'one', date: '2026-01-01', front: { tags: '[Testing, small]' }, files: { 'config.md': 'x\r\n' } },
  { slug: 'two', date: '2026-01-02', files: { 'prompt.txt': withPrompt(`Odd: ${secret} \n`) } },
  { slug: 'three', date: '2026-01-03', files: { 'sample-input.txt': `\ufeff${goodSampleInput.trimEnd()}` } },
].map((agent: SmallAgent) => {
  const files = smallAgent(agent);
  return { ...agent, files: { ...files, 'agent.md': String(files['agent.md']).replace(/ +$/gm, '') } };
});

test('the command shows a diff, changes files only with --write, and only of the named agents', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, agents);
    const fix = (...args: string[]) => catalog(['fix', ...args, '--cwd', folder]);
    const before = snapshot(folder);
    const shown = await fix('one', 'agents/two/prompt.txt');
    assert.is(shown.code, 0);
    assert.is(
      shown.stdout,
      `agents/one/agent.md: tags
--- agents/one/agent.md
+++ agents/one/agent.md
@@ -3,5 +3,5 @@
 date: 2026-01-01
 category: coding
-tags: [Testing, small]
+tags: [testing, small]
 difficulty: easy
 runtimes: [Claude]

agents/one/config.md: line endings

agents/two/prompt.txt: trailing spaces
--- agents/two/prompt.txt
+++ agents/two/prompt.txt
@@ -23,3 +23,3 @@
 Odd: <quote, or "nothing">
 If no row is wrong, answer only: "All rows can be right."
-Odd: ghp_${'*'.repeat(36)} 
+Odd: ghp_${'*'.repeat(36)}

`,
    );
    assert.is(shown.stderr, '3 files can be fixed. Nothing is written: run the command again with --write.\n');
    assert.equal(snapshot(folder), before);

    const mode = () => statSync(join(folder, 'agents/one/config.md')).mode & 0o777;
    // Not what a umask leaves.
    chmodSync(join(folder, 'agents/one/config.md'), 0o666);
    const written = await fix('one', 'three', '--write', '--format', 'json');
    assert.is(written.code, 0);
    assert.is(mode(), 0o666);
    const { written: isWritten, files } = JSON.parse(written.stdout);
    assert.is(isWritten, true);
    assert.equal(
      files.map((each: { file: string; fixes: string[] }) => [each.file, ...each.fixes]),
      [
        ['agents/one/agent.md', 'tags'],
        ['agents/one/config.md', 'line endings'],
        ['agents/three/sample-input.txt', 'byte-order mark', 'final newline'],
      ],
    );
    assert.equal(snapshot(folder), {
      ...before,
      'agents/one/agent.md': before['agents/one/agent.md']?.replace('Testing', 'testing'),
      'agents/one/config.md': 'x\n',
      'agents/three/sample-input.txt': goodSampleInput,
    });
    assert.match((await fix('one', '--write')).stderr, 'Nothing to fix mechanically.');
    const unknown = await fix('thre');
    assert.is(unknown.code, 1);
    assert.match(unknown.stderr, 'There is no agent thre in agents/. Did you mean three?');
  });
});

test('the files in evals/ get LF line endings, and the recorded answers stay up to date', () =>
  inFolder(async (folder) => {
    const windows = (text: string) => `\ufeff${text.replaceAll('\n', '\r\n')}`;
    const entries = Object.entries<string>({ ...evalsFiles, 'evals/empty.txt': '\n' });
    const files = Object.fromEntries(entries.map(([name, text]) => [name, windows(text)]));
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01', files }]);
    const reported = async () => {
      const { stdout } = await catalog(['validate', '--format', 'json', '--cwd', folder, '--today', '2026-02-01']);
      const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; file: string }[] };
      return diagnostics.map(({ code, file }) => `${code} ${file}`);
    };
    const encoding = /^(?:file\/line-ends|text\/hidden-character) /;
    const before = await reported();
    assert.is(before.filter((each) => encoding.test(each)).length, 2 * entries.length - 2, before.join('\n'));
    assert.is((await catalog(['fix', '--write', '--cwd', folder])).code, 0);
    for (const [name, text] of entries) assert.is(readFileSync(join(folder, 'agents/one', name), 'utf8'), text);
    assert.equal(
      await reported(),
      before.filter((each) => !encoding.test(each)),
    );
  }));

test('an agent.md with spaces and blank lines around its hyphens is fixed in one run', () =>
  inFolder(async (folder) => {
    const { 'agent.md': good = '' } = smallAgent({ slug: 'one', date: '2026-01-01', front: { tags: '[Testing, ok]' } });
    const [opening, closing] = ['\n--- \r\n', '\n--- \n'];
    const wrong = `${opening}${String(good).slice(4).replace('\n---\n', closing)}`;
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01', files: { 'agent.md': wrong } }]);
    const run = (...args: string[]) => catalog([...args, '--cwd', folder]);
    assert.is((await run('validate')).code, 1);
    assert.match((await run('fix', '--write')).stdout, 'agents/one/agent.md: line endings, hyphens, ');
    assert.equal(
      [(await run('validate')).code, (await run('fix')).stderr],
      [0, 'Nothing to fix mechanically. npx --no daily-agent-catalog validate reports the rest.\n'],
    );
  }));

test('an agent with a number keeps the wording of its prompt', async () => {
  await inFolder(async (folder) => {
    const prompt = withPrompt('Say “yes”. \n');
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01', front: { issue: '1' }, files: { 'prompt.txt': prompt } }]);
    const { code } = await catalog(['fix', '--write', '--cwd', folder]);
    assert.is(code, 0);
    assert.is(readFileSync(join(folder, 'agents/one/prompt.txt'), 'utf8'), prompt);
  });
});

test('a file that changed in the meantime stays as it is, and so do the others', async () => {
  await inFolder((folder) => {
    writeCatalog(folder, agents);
    const files = Object.entries(smallAgent(agents[0] as SmallAgent)).map(([name, content]) => ({
      name,
      bytes: Buffer.from(content),
      problem: null,
    }));
    const fixes = fixesOf({ slug: 'one', files, problem: null }, false);
    assert.is(fixes.length, 2);
    writeFiles(folder, { 'agents/one/config.md': 'new\r\n' });
    const before = snapshot(folder);
    assert.throws(() => writeFixes(folder, fixes), /^agents\/one\/config\.md changed while/);
    assert.equal(snapshot(folder), before);
  });
});

test('the totals say how many files can be fixed, were fixed, or are left', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [
      { slug: 'one', date: '2026-01-01' },
      { slug: 'two', date: '2026-01-02' },
    ]);
    await catalog(['fix', '--write', '--cwd', folder]);
    writeFiles(join(folder, 'agents'), {
      'one/sample-input.txt': 'a\nb',
      'one/sample-output.txt': 'c',
      'two/sample-input.txt': 'a\r\n',
    });
    const fix = async (...args: string[]) => {
      const { code, stdout, stderr } = await catalog(['fix', ...args, '--cwd', folder]);
      assert.is(code, 0);
      return { heads: stdout.split('\n').filter((line) => line.startsWith('agents/')), stderr };
    };
    assert.equal(await fix('two'), {
      heads: ['agents/two/sample-input.txt: line endings'],
      stderr: '1 file can be fixed. Nothing is written: run the command again with --write.\n',
    });
    assert.equal(await fix('two', '--write'), {
      heads: ['agents/two/sample-input.txt: line endings'],
      stderr: 'Fixed 1 file. npx --no daily-agent-catalog validate reports the rest.\n',
    });
    assert.equal(await fix('--write'), {
      heads: ['agents/one/sample-input.txt: final newline', 'agents/one/sample-output.txt: final newline'],
      stderr: 'Fixed 2 files. npx --no daily-agent-catalog validate reports the rest.\n',
    });
    assert.equal(await fix(), {
      heads: [],
      stderr: 'Nothing to fix mechanically. npx --no daily-agent-catalog validate reports the rest.\n',
    });
  }));

test.run();
