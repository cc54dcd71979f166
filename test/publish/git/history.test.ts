import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readHistory } from '../../../src/content/history.ts';
import { loadMcpCatalog } from '../../../src/server/mcp/catalog.ts';
import { callTool } from '../../../src/server/mcp/tools.ts';
import { inFolder, temporaryFolder, writeCatalog } from '../../support/catalog.ts';
import { loud } from '../../support/loud.ts';
import { catalog } from '../../support/process.ts';
import { render } from '../../support/render.ts';
import { readXml } from '../../support/xml.ts';

/** Readers and programs see when an agent changed, if git knows for certain. If not, nothing fails. */

const folder = temporaryFolder();
const repository = join(folder.path, 'repository');
const today = '2026-11-21';
let files: Map<string, string>;

test.before(
  loud(() => {
    makeRepository();
    files = render(repository, { today });
  }),
);
test.after(loud(() => folder.remove()));

const text = (path: string) => files.get(path) ?? '';
const parse = (path: string) => readXml(text(path));

test('a page describes the changes of its prompt, newest first, without commit messages', () => {
  assert.equal(changesOn('agents/one.html'), [
    ['2026-11-03', 'November 3, 2026', '1 line removed'],
    ['2026-11-02', 'November 2, 2026', '2 lines added, 1 line removed'],
  ]);
  assert.not.match([...files.values()].join('\n'), /wish for|jargon/);
  assert.not.match(text('agents/four.html'), 'id="history"');
});

test('an agent that was renamed twice keeps the changes that it had under all names', () => {
  assert.equal(changesOn('agents/five.html'), [
    ['2026-11-21', 'November 21, 2026', '2 lines added'],
    ['2026-11-16', 'November 16, 2026', '2 lines added'],
    ['2026-11-04', 'November 4, 2026', '2 lines added'],
  ]);
});

test('a later folder with a former name of an agent adds nothing to its revisions, as to its page', () => {
  const { agents } = JSON.parse(text('api/revisions.json')) as {
    agents: { slug: string; prompts: { date: string }[] }[];
  };
  const five = agents.find(({ slug }) => slug === 'five');
  assert.equal(
    five?.prompts.map(({ date }) => date),
    ['2026-11-21', '2026-11-16', '2026-11-04', '2026-11-01'],
  );
});

/** The changes that a page lists: the day, the same for readers, and what changed. */
function changesOn(path: string): (string | undefined)[][] {
  const items = text(path).matchAll(/<li><time datetime="([\d-]+)">([^<]*)<\/time> <span>([^<]*)</g);
  return [...items].map(([, day, date, what]) => [day, date, what]);
}

/**
 * `one` has a changed sample, `two` a change that was merged later, and `five` changes under three names; `four` was
 * renamed, which is not a change.
 */
const changed = {
  five: '2026-11-21T12:00:00.000Z',
  two: '2026-11-14T12:00:00.000Z',
  one: '2026-11-13T12:00:00.000Z',
  four: '2026-11-12T00:00:00.000Z',
};

test('MCP gives assistants the date of the last change as the date of the review', async () => {
  const read = async (path: string) => (files.has(path) ? Buffer.from(files.get(path) ?? '') : null);
  const mcp = await loadMcpCatalog(read, {});
  for (const [slug, day] of [
    ['one', '2026-11-13'],
    ['two', '2026-11-14'],
    ['four', '2026-11-12'],
    ['five', '2026-11-21'],
  ] as const) {
    const { structuredContent } = (await callTool({ name: 'get_agent', arguments: { slug } }, mcp)) as {
      structuredContent: { provenance: string };
    };
    assert.match(structuredContent.provenance, `reviewed on ${day}.`);
  }
});

test('feeds have the date of the last change, and adding the number does not count', () => {
  const entries = parse('atom.xml').feed.entry as { link: { href: string }; updated: string }[];
  const slugOf = (address: string) => address.split('/').at(-1) ?? '';
  assert.equal(Object.fromEntries(entries.map(({ link, updated }) => [slugOf(link.href), updated])), changed);
  assert.is(parse('atom.xml').feed.updated, changed.five);
  assert.is(parse('feeds/coding.xml').feed.updated, changed.five);
  assert.is(parse('feed.xml').rss.channel.lastBuildDate, 'Sat, 21 Nov 2026 12:00:00 GMT');
  const { items } = JSON.parse(text('feed.json')) as { items: Record<string, string>[] };
  assert.equal(Object.fromEntries(items.map((item) => [slugOf(item.url ?? ''), item.date_modified])), changed);
  assert.is(items.find(({ url }) => url?.endsWith('/one'))?.date_published, '2026-11-10T00:00:00.000Z');
});

test('the sitemap, structured data and the review sentence have it too', () => {
  const urls = parse('sitemap.xml').urlset.url as { loc: string; lastmod?: string }[];
  const lastmod = Object.fromEntries(urls.map(({ loc, lastmod }) => [new URL(loc).pathname, lastmod]));
  assert.equal(lastmod, {
    '/': '2026-11-21',
    '/agents/one': '2026-11-13',
    '/agents/two': '2026-11-14',
    '/agents/four': '2026-11-12',
    '/agents/five': '2026-11-21',
    '/archive': '2026-11-21',
    '/categories/coding': '2026-11-21',
    '/tags/small': '2026-11-21',
    '/tags/testing': '2026-11-21',
    '/about': undefined,
    '/developers': undefined,
  });
  for (const [slug, published, reviewed] of [
    ['one', '2026-11-10', '2026-11-13'],
    ['five', '2026-11-13', '2026-11-21'],
  ] as const) {
    const [data = ''] =
      /(?<=<script type="application\/ld\+json">).*?(?=<\/script>)/s.exec(text(`agents/${slug}.html`)) ?? [];
    const [work] = JSON.parse(data)['@graph'];
    assert.is(work.datePublished, published);
    assert.is(work.dateModified, reviewed);
    assert.match(text(`.well-known/agent-skills/${slug}/SKILL.md`), `reviewed on ${reviewed}.`);
  }
});

test('the same commit gives the same bytes in a clone with other settings, and a shallow clone uses the dates of publication', () => {
  const clone = (name: string, ...options: string[]) => {
    const path = join(folder.path, name);
    git(folder.path, ['clone', '--quiet', ...options, pathToFileURL(repository).href, path]);
    return path;
  };
  const whole = clone('whole');
  git(whole, ['config', 'log.diffMerges', 'off']);
  assert.equal(render(whole, { today }), files);

  const shallow = clone('shallow', '--depth', '1');
  assert.match(readHistory(shallow).missing ?? '', /cannot show how prompts changed: this clone is shallow/);
  const without = render(shallow, { today });
  assert.not.match(without.get('agents/one.html') ?? '', 'id="history"');
  assert.match(without.get('atom.xml') ?? '', '<updated>2026-11-12T00:00:00.000Z</updated>');
  assert.not.match(without.get('atom.xml') ?? '', '<updated>2026-11-21');
});

test('without git or outside a repository, a catalog is built without history', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-11-20' }]);
    const outside = await catalog(['build', '--cwd', folder, '--today', '2026-11-21']);
    assert.is(outside.code, 0, outside.stderr);
    assert.match(outside.stderr, 'The pages cannot show how prompts changed: this folder is not in a git repository.');
    const without = await catalog(['build', '--cwd', folder, '--today', '2026-11-21'], { env: { PATH: folder } });
    assert.is(without.code, 0, without.stderr);
    assert.match(without.stderr, 'The pages cannot show how prompts changed: git is not installed.');
  });
});

test('if git cannot read a repository, its reason is reported', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-11-20' }]);
    git(folder, ['init', '--quiet']);
    writeFileSync(join(folder, '.git/config'), '[broken\n');
    const { code, stderr } = await catalog(['build', '--cwd', folder, '--today', '2026-11-21']);
    assert.is(code, 0, stderr);
    assert.match(stderr, 'The pages cannot show how prompts changed: bad config line 1 in file ');
  });
});

test('a working tree that lost its repository, as in a container, is reported, also before numbers are assigned', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-11-20' }]);
    writeFileSync(join(folder, '.git'), 'gitdir: /elsewhere/.git/worktrees/press\n');
    const run = (...args: string[]) => catalog([...args, '--cwd', folder, '--today', '2026-11-21']);
    const reason = 'not a git repository: /elsewhere/.git/worktrees/press';
    assert.match((await run('build')).stderr, `The pages cannot show how prompts changed: ${reason}.`);
    const unknown = `Numbers of deleted agents are unknown: git cannot read the history (${reason}).`;
    assert.match((await run('publish', '--dry-run')).stderr, unknown);
    assert.match((await run('publish')).stderr, `git cannot use one at ${folder} (git: ${reason}).`);
  });
});

test('a repository of another user is reported, with the command that allows it', async () => {
  await inFolder(async (folder) => {
    const repository = join(folder, 'my site');
    const cwd = join(repository, 'agents of the day');
    mkdirSync(cwd, { recursive: true });
    writeCatalog(cwd, [{ slug: 'one', date: '2026-11-20' }]);
    git(repository, ['init', '--quiet']);
    const env = { GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' };
    const { stderr } = await catalog(['build', '--cwd', cwd, '--today', '2026-11-21'], { env });
    assert.match(stderr, `another user (allow it with \`git config --system --add safe.directory '${repository}'\`)`);
  });
});

function makeRepository(): void {
  writeCatalog(repository, [
    { slug: 'one', date: '2026-11-10', files: { 'prompt.txt': prompt('A text.', 'More.') } },
    { slug: 'two', date: '2026-11-11' },
    { slug: 'three', date: '2026-11-12' },
    { slug: 'early', date: '2026-11-13' },
  ]);
  git(repository, ['init', '--quiet', '--initial-branch', 'main']);
  commit('2026-11-01', 'feat: begin');
  write('one/prompt.txt', prompt('A text.', 'Less.', 'Much less.'));
  commit('2026-11-02', 'feat: wish for <less>');
  write('one/prompt.txt', prompt('A text.', 'Less.'));
  commit('2026-11-03', 'refactor: jargon');
  edit('early/prompt.txt', /$/, '\nA first addition.\n');
  commit('2026-11-04', 'feat: add to it');
  for (const [index, slug] of ['one', 'two', 'three', 'early'].entries()) {
    edit(`${slug}/agent.md`, /^(date: .*)$/m, `$1\nissue: ${index + 1}`);
    commit(`2026-11-1${index}`, 'chore: publish');
  }
  git(repository, ['switch', '--quiet', '--create', 'fix']);
  edit('two/prompt.txt', /$/, '\nA last line.\n');
  commit('2026-11-12', 'fix: a last line');
  git(repository, ['switch', '--quiet', 'main']);
  write('one/sample-input.txt', 'Another sample.\n');
  commit('2026-11-13', 'fix: another sample');
  git(repository, ['merge', '--quiet', '--no-ff', '--message', 'merge', 'fix'], at('2026-11-14'));
  rename('three', 'four', '[three]');
  rename('early', 'middle', '[early]');
  commit('2026-11-15', 'chore: better names');
  edit('middle/prompt.txt', /$/, '\nA second addition.\n');
  commit('2026-11-16', 'feat: add more to it');
  rename('middle', 'five', '[early, middle]');
  commit('2026-11-17', 'chore: the best name');
  cpSync(join(repository, 'agents/one'), join(repository, 'agents/early'), { recursive: true });
  commit('2026-11-18', 'feat: another agent, whose name was taken');
  write('early/prompt.txt', prompt('Another text.'));
  commit('2026-11-19', 'feat: change it');
  rmSync(join(repository, 'agents/early'), { recursive: true });
  commit('2026-11-20', 'fix: remove it');
  edit('five/prompt.txt', /$/, '\nA third addition.\n');
  commit('2026-11-21', 'feat: add the rest');
}

function rename(slug: string, next: string, formerSlugs: string): void {
  renameSync(join(repository, 'agents', slug), join(repository, 'agents', next));
  edit(`${next}/agent.md`, /^(?:formerSlugs: .*\n)?(date: .*)$/m, `formerSlugs: ${formerSlugs}\n$1`);
}

function prompt(input: string, ...output: string[]): string {
  return `INPUT\n${input}\n\nRULES\n1. Invent nothing.\n\nOUTPUT\n${output.join('\n')}\n`;
}

function write(path: string, content: string): void {
  writeFileSync(join(repository, 'agents', path), content);
}

function edit(path: string, pattern: RegExp, replacement: string): void {
  write(path, readFileSync(join(repository, 'agents', path), 'utf8').replace(pattern, replacement));
}

function commit(day: string, message: string): void {
  git(repository, ['add', '--all']);
  git(repository, ['commit', '--quiet', '--message', message], at(day));
}

/** Returns noon of a day as the time of a commit. Its author date is long before, as after a rebase. */
function at(day: string): NodeJS.ProcessEnv {
  return { GIT_AUTHOR_DATE: '2020-01-01T12:00:00Z', GIT_COMMITTER_DATE: `${day}T12:00:00Z` };
}

function git(cwd: string, args: string[], env: NodeJS.ProcessEnv = {}): void {
  const person = ['-c', 'user.name=Ada', '-c', 'user.email=ada@press.example', '-c', 'commit.gpgSign=false'];
  execFileSync('git', [...person, ...args], { cwd, env: { ...process.env, ...env }, stdio: 'ignore' });
}

test.run();
