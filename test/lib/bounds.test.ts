import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { announcementFiles } from '../../src/mail/announcement-journal.ts';
import { GitHubRepository } from '../../src/publish/github.ts';
import { temporaryFolder, writeCatalog } from '../support/catalog.ts';
import { casesFiles } from '../support/evals.ts';
import { loud } from '../support/loud.ts';
import { catalog } from '../support/process.ts';

/**
 * Every parser of text from outside gets 50 MB of the character that is worst for it. It answers in a sentence: V8 throws
 * "Maximum call stack size exceeded" for a repeated group in a regular expression, which people saw as a stack.
 */

const bytes = 50 * 1024 * 1024;
const folder = temporaryFolder();
const at = (path: string) => join(folder.path, path);
const date = '2026-11-15';
const digest = 'a'.repeat(64);
const revision = {
  ...{ slug: 'one', issue: 1, url: 'https://press.example/agents/one', formerSlugs: [] },
  prompts: [{ sha256: digest, date }],
  plugins: [{ name: 'one', version: '1.0.0', sha256: digest, skill: null }],
};
/** Room for the longest text. All tests write theirs into it, since the system needs time for fresh memory. */
let room = Buffer.allocUnsafe(bytes + 1024);
/** A text with as many of `unit` as fit into 50 MB, between `start` and `end`. It stays until the next one is made. */
const repeated = (unit: string, start = '', end = '') => {
  const from = room.write(start);
  room.fill(unit, from, from + bytes);
  return room.subarray(0, from + bytes + room.write(end, from + bytes));
};
/** A JSON document in which `unit` takes the place of `…`, as often as fits into 50 MB. */
const filled = (document: unknown, unit: string) => {
  const [start, end] = JSON.stringify(document).split('…');
  return repeated(unit, start, `${end}\n`);
};
const vote = { id: '1', time: `${date}T00:00:00Z`, slug: '…', vote: 'yes', voter: 'a'.repeat(32) };
const subscription = { id: '1', time: `${date}T00:00:00Z`, email: '…', list: 'daily' };
const build = { id: '…', version: '1', baseUrl: 'https://a.example', runtimeUrl: null, preview: false, moved: {} };

let site = '';
let sent: Buffer = Buffer.alloc(0);
const server = createServer((_, response) => void response.end(sent)).listen(0, '127.0.0.1');
test.before(
  loud(async () => {
    await once(server, 'listening');
    site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    writeCatalog(folder.path, [{ slug: 'one', date: '2026-01-01', files: casesFiles }]);
    writeFileSync(at('note.txt'), 'A note.\n');
  }),
);
test.after(
  loud(() => {
    server.closeAllConnections();
    server.close();
    folder.remove();
    // The process goes on with other files.
    sent = room = Buffer.alloc(0);
  }),
);

/** Runs a command in the folder of the catalog, and returns what it says. */
const said = async (...args: string[]) => (await catalog([...args], { cwd: folder.path, env: environment })).shown;
const environment = { GITHUB_TOKEN: 'x', GITHUB_REPOSITORY: 'a/b', GITHUB_EVENT_PATH: at('event.json') };
const answers = async (content: Buffer, ...args: string[]) => {
  sent = content;
  return said(...args);
};
const files = async (path: string, content: Buffer, use: () => Promise<string>) => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), content);
  return use().finally(() => rmSync(at(path)));
};
const verifySite = (document: object, unit: string) =>
  answers(
    filled({ complete: true, agents: [{ ...revision, ...document }] }, unit),
    'verify',
    'note.txt',
    '--site',
    site,
  );

const rows: Record<string, [said: () => Promise<string>, expected: RegExp]> = {
  'the digests of lines on a site': [
    () => verifySite({ lines: '…' }, 'a'),
    /revisions\.json is not a document that catalogs publish: it is not JSON\. Is http/,
  ],
  'a slug on a site': [() => verifySite({ slug: '…', lines: '' }, 'a-'), /is not a document that catalogs publish/],
  'the build at a live address': [
    () => answers(filled({ ...build, counts: { agents: 1, files: 1 } }, 'a'), 'ci', 'verify', '--base-url', site),
    /build\.json was not written by catalog build\./,
  ],
  'the settings': [
    () => files('big/catalog.config.json', repeated('['), () => said('validate', '--cwd', 'big')),
    /catalog\.config\.json in \S+ has more than 256 KiB\./,
  ],
  'a file of an agent': [
    () => files('agents/two/agent.md', repeated('- '), () => said('validate', 'two')),
    /agent\.md has 52428800 bytes; at most 262144 are allowed\./,
  ],
  'a copy of a skill': [
    () => files('copy/SKILL.md', repeated('---\n'), () => said('verify', 'copy')),
    /SKILL\.md is too large to be a copy/,
  ],
  'a prompt to import': [
    () => files('a.prompt.md', repeated('---\n'), () => said('import', 'a.prompt.md', '--from', 'copilot')),
    /It has 52428800 bytes; at most 262144 are allowed\./,
  ],
  'a cell of a CSV': [
    () => files('a.csv', repeated('""', 'act,prompt\na,"'), () => said('import', 'a.csv', '--from', 'prompts-chat')),
    /it has a quote that is never closed, or more than 256 KiB\./,
  ],
  'a log of votes': [
    () => files('votes.jsonl', filled(vote, 'a-'), () => said('votes', '--file', 'votes.jsonl')),
    /Skipped line 1 of \S+votes\.jsonl/,
  ],
  'a file of subscribers': [
    () =>
      files('subscribers.jsonl', filled(subscription, 'a.'), () => said('subscribers', '--file', 'subscribers.jsonl')),
    /Skipped line 1 of \S+subscribers\.jsonl/,
  ],
  'the journal of an announcement': [
    async () => {
      const journal = announcementFiles(folder.path, { now: () => new Date(date), warn: () => {} });
      // Its name has the first digits of the SHA-256 of its key.
      return files('a-ca978112.jsonl', filled({ type: 'drafted', draft: '…', time: date }, '\\"'), () =>
        journal.read('a').then(String, ({ message }) => message),
      );
    },
    /^Line 1 of \S+ cannot be read, so nobody can tell what was sent\./,
  ],
  'the file of a build': [
    () =>
      files('dist/build.json', filled({ ...build, counts: { agents: 1, files: 1 } }, 'a'), () =>
        said('deploy', 'host:/srv'),
      ),
    /has no build \(build\.json cannot be read: it has an unknown format\)/,
  ],
  'an answer of GitHub': [
    async () => {
      sent = filled([{ title: '…' }], 'a');
      const github = new GitHubRepository({ GITHUB_API_URL: site, GITHUB_REPOSITORY: 'a/b', GITHUB_TOKEN: 'x' });
      return github.openIssues([{ title: 'a', body: 'b' }]).then(String, ({ message }) => message);
    },
    /^GitHub does not answer at \S+ \(The JSON has a string with more than 2097152 characters\.\)\.$/,
  ],
  'an event of GitHub': [
    () => files('event.json', filled({ issue: { number: 1, body: '…' } }, '`'), () => said('ci', 'intake')),
    /The event in \S+ cannot be read: The JSON has a string with more than 2097152 characters\./,
  ],
  'an answer of a model': [
    () => {
      const answer = filled({ choices: [{ message: { content: '…' } }] }, '`');
      return answers(answer, 'eval', '--record', '--model', 'm', '--url', site, 'one');
    },
    /The response has more than 2097152 bytes\./,
  ],
};

for (const [name, [ask, expected]] of Object.entries(rows)) {
  test(`${name} of 50 MB is refused in a sentence`, async () => {
    const text = await ask();
    assert.match(text.slice(0, 3_000), expected, text.slice(0, 3_000));
    assert.not.match(text.slice(-3_000), /^ {4}at |call stack/m);
  });
}

test.run();
