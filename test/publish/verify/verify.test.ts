import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { strFromU8, unzipSync, zipSync } from 'fflate';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadSettings } from '../../../src/content/settings.ts';
import { type Copy, readCopies } from '../../../src/publish/copies.ts';
import { Verifier } from '../../../src/publish/verify.ts';
import { fillIn } from '../../../src/text/prompt-text.ts';
import { temporaryFolder, writeFiles } from '../../support/catalog.ts';
import { otherPrompt, published, revisions, serveFiles, today, writeRevisions } from '../../support/copies.ts';
import { goodPrompt } from '../../support/good-agent.ts';
import { loud } from '../../support/loud.ts';

/** What copies are, as people and assistants make them, compared with a catalog and its history, and with its site. */

const folder = temporaryFolder();
let files: ReadonlyMap<string, Buffer> = new Map();
let cwd = '';
let site: Awaited<ReturnType<typeof serveFiles>>;
let verifiers: Verifier[] = [];

test.before(
  loud(async () => {
    cwd = writeRevisions(folder.path);
    ({ files } = published(cwd).rendered);
    site = await serveFiles(files);
    const inCatalog = Verifier.ofCatalog(cwd, loadSettings(cwd, {}, {}), today);
    assert.is(inCatalog.published.missing, null);
    verifiers = [inCatalog, await Verifier.ofSite(site.address)];
  }),
);
test.after(
  loud(() => {
    site.close();
    folder.remove();
  }),
);

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const text = (path: string) => files.get(path)?.toString('utf8') ?? '';
const unpacked = (path: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(unzipSync(files.get(path) ?? Buffer.alloc(0))).map(([name, bytes]) => [name, strFromU8(bytes)]),
  );
const [first, second, third] = revisions;
const agent = { slug: 'one', issue: 1, url: 'https://press.example/agents/one' };
const revision = (number: 1 | 2 | 3) => ({
  number,
  of: 3,
  date: ['2026-11-01', '2026-11-13', '2026-11-15'][number - 1],
  sha256: sha256(revisions[number - 1] ?? ''),
});
const same = (number: 1 | 2 | 3, status = 'unchanged') => ({
  ...{ verdict: status === 'changed' ? status : number === 3 ? 'same' : 'older', formerSlug: null },
  ...{ kind: 'prompt', status, agent, revision: revision(number), version: null },
  ...{ newer: number === 3 ? null : '2026-11-15', diff: '' },
});

/** What is said of the current skill. */
const skill = (status?: string) => ({ ...same(3, status), kind: 'skill', version: '1.2.0' });
const withCurl = '--- SKILL.md\n+++ SKILL.md\n@@ -47,2 +47,3 @@\n \n It works as small agents do.\n+Run curl.\n';
const withoutFile = (path: string, lost: string) =>
  `--- ${path}\n+++ ${path}\n@@ -1,${lost.trimEnd().split('\n').length} +0,0 @@\n-${lost.trimEnd().replaceAll('\n', '\n-')}\n`;
/** What is said of a copy of no agent. */
const nobodys = (status: string) => ({
  ...{
    verdict: status,
    formerSlug: null,
    kind: 'prompt',
    status,
    agent: null,
    revision: null,
    version: null,
    newer: null,
    diff: '',
  },
});

interface Row {
  /** The file, or the files of the folder, that is verified. */
  copy: string | Uint8Array | Record<string, string>;
  /** Its name. @default copy.txt */
  name?: string;
  expected: object;
}

/** Rows whose result does not depend on whether the site or the catalog is asked. */
const rows: Record<string, () => Row> = {
  'the current prompt': () => ({ copy: third, expected: same(3) }),
  'an earlier prompt': () => ({ copy: first, expected: same(1) }),
  'a prompt that was copied on Windows, without its last newline': () => ({
    copy: `\uFEFF${second.trimEnd().replaceAll('\n', '\r\n')}`,
    expected: same(2, 'line-ends'),
  }),
  'a prompt with several inputs': () => ({
    copy: fillIn(third, [{ name: 'ROWS', text: 'lamp, 12\n</input>' }, { text: 'rope <input>' }]),
    expected: same(3, 'filled-in'),
  }),
  'a prompt in a conversation over MCP': () => ({
    copy: `“The one agent” is contributed text.\n\n${fillIn(second, [{ text: 'lamp' }])}`,
    expected: same(2, 'contained'),
  }),
  'the page of an agent as Markdown': () => ({
    copy: text('agents/one.md'),
    name: 'one.md',
    expected: same(3, 'contained'),
  }),
  'a text of someone else with the former name of an agent': () => ({
    copy: 'Write a poem.\n',
    name: 'uno.txt',
    expected: nobodys('unknown'),
  }),
  'a text with the name of a withdrawn agent': () => ({
    copy: 'Another.\n',
    name: 'gone.txt',
    expected: nobodys('withdrawn'),
  }),
  'the prompt of a withdrawn agent, whose lines another agent has too': () => ({
    copy: goodPrompt,
    name: 'gone.txt',
    expected: nobodys('withdrawn'),
  }),
  'a prompt with another rule': () => ({
    copy: third.replace('at most 5 rows', 'all rows'),
    expected: {
      ...same(3, 'changed'),
      diff:
        '--- prompt.txt\n+++ prompt.txt\n@@ -8,5 +8,5 @@\n RULES\n 1. Read every line of ROWS once and count the lines.\n' +
        '-2. Report at most 5 rows, the highest price first.\n+2. Report all rows, the highest price first.\n' +
        ' 3. Call a row "wrong" only when a line of NOTES contradicts it, and quote that line verbatim.\n' +
        ' 4. Call a row "ask" when its count is below 0 or its price is absent.\n',
    },
  }),
  'a prompt of which a quarter is left, with its name': () => ({
    copy: otherPrompt.split('\n').slice(0, 2).join('\n'),
    name: 'two.prompt.md',
    expected: {
      ...{ verdict: 'changed', formerSlug: null, kind: 'prompt', status: 'changed' },
      agent: { slug: 'two', issue: 2, url: 'https://press.example/agents/two' },
      revision: { number: 1, of: 1, date: '2026-11-01', sha256: sha256(otherPrompt) },
      version: null,
      newer: null,
      diff: '--- prompt.txt\n+++ prompt.txt\n@@ -1,8 +1,2 @@\n INPUT\n A text.\n-\n-RULES\n-1. Count the words.\n-\n-OUTPUT\n-A number.\n',
    },
  }),
  'the current SKILL.md': () => ({
    copy: text('.well-known/agent-skills/one/SKILL.md'),
    name: 'SKILL.md',
    expected: skill(),
  }),
  'an earlier SKILL.md under another name, with CRLF': () => ({
    copy: (unpacked('plugins/one-1.1.0.zip')['skills/one/SKILL.md'] ?? '').replaceAll('\n', '\r\n'),
    name: 'one.md',
    expected: { ...same(2, 'line-ends'), kind: 'skill', version: '1.1.0', newer: '1.2.0' },
  }),
  'a SKILL.md with instructions after the prompt': () => ({
    copy: `${text('.well-known/agent-skills/one/SKILL.md')}Run curl.\n`,
    name: 'SKILL.md',
    expected: { ...skill('changed'), diff: withCurl },
  }),
  'a skill next to which an assistant and an archiver left files of their own': () => ({
    copy: {
      ...unpacked('.well-known/agent-skills/one.zip'),
      '.orphaned_at': '1764000000',
      'references/.DS_Store': 'x',
    },
    expected: skill(),
  }),
  'the folder of a skill': () => ({
    copy: unpacked('.well-known/agent-skills/one.zip'),
    expected: skill(),
  }),
  'the folder of a skill without its sample': () => {
    const { 'references/sample.md': sample = '', ...copy } = unpacked('.well-known/agent-skills/one.zip');
    return { copy, expected: { ...skill('changed'), diff: withoutFile('references/sample.md', sample) } };
  },
  'the archive of a skill': () => ({
    copy: files.get('.well-known/agent-skills/one.zip') ?? '',
    name: 'one.zip',
    expected: skill(),
  }),
  'a skill to which a script was added': () => ({
    copy: { ...unpacked('.well-known/agent-skills/one.zip'), 'scripts/run.sh': 'curl example.com\n' },
    expected: {
      ...skill('changed'),
      diff: '--- scripts/run.sh\n+++ scripts/run.sh\n@@ -0,0 +1,1 @@\n+curl example.com\n',
    },
  }),
  'a skill of which one file was changed, and a later one has other line ends': () => {
    const copy = unpacked('.well-known/agent-skills/one.zip');
    const sample = copy['references/sample.md'] ?? '';
    return {
      copy: {
        ...copy,
        'SKILL.md': `${copy['SKILL.md']}Run curl.\n`,
        'references/sample.md': sample.replaceAll('\n', '\r\n'),
      },
      expected: { ...skill('changed'), diff: withCurl },
    };
  },
  'the archive of an earlier plugin under a former slug': () => ({
    copy: files.get('plugins/uno-1.1.0.zip') ?? '',
    name: 'uno.zip',
    expected: {
      ...{ ...same(2), kind: 'plugin', version: '1.1.0', newer: '1.2.0' },
      ...{ verdict: 'renamed', formerSlug: 'uno' },
    },
  }),
  'an archive with one top folder': () => ({
    copy: Buffer.from(
      zipSync(
        Object.fromEntries(
          Object.entries(unpacked('plugins/one-1.2.0.zip')).map(([path, content]) => [
            `top/${path}`,
            Buffer.from(content),
          ]),
        ),
      ),
    ),
    name: 'download',
    expected: { ...same(3), kind: 'plugin', version: '1.2.0' },
  }),
  'a plugin without a manifest that it should have': () => {
    const { 'plugin.json': manifest = '', ...rest } = unpacked('plugins/one-1.1.0.zip');
    const diff = withoutFile('plugin.json', manifest);
    return { copy: rest, expected: { ...same(2, 'changed'), kind: 'plugin', version: '1.1.0', newer: '1.2.0', diff } };
  },
};

for (const [name, row] of Object.entries(rows)) {
  test(`${name}, in the catalog and on the site`, async () => {
    const { copy, name: file = 'copy.txt', expected } = row();
    const path = join(folder.path, 'copies', file);
    if (typeof copy === 'string' || copy instanceof Uint8Array)
      writeFiles(join(folder.path, 'copies'), { [file]: copy });
    else writeFiles(path, copy);
    try {
      const [found, ...more] = [...readCopies(path)] as Copy[];
      assert.equal(more, []);
      for (const verifier of verifiers) {
        assert.equal(await verifier.verdict(found as Copy), { path, ...expected });
      }
    } finally {
      rmSync(join(folder.path, 'copies'), { recursive: true });
    }
  });
}

test('a changed copy of an earlier prompt is compared with it where its text is known, in the clone', async () => {
  const path = 'copy.txt';
  const files = new Map([['prompt.txt', Buffer.from(first.replace('INPUT\n', 'INPUT NOW\n'))]]);
  const [clone, onSite] = await Promise.all(
    verifiers.map((verifier) => verifier.verdict({ path, kind: 'prompt', files, named: true })),
  );
  assert.equal(clone?.revision, revision(1));
  assert.match(clone?.diff ?? '', '\n-INPUT\n+INPUT NOW\n');
  assert.not.match(clone?.diff ?? '', 'Start.');
  assert.equal(onSite?.revision, revision(3));
  assert.match(onSite?.diff ?? '', '\n+6. Start. Change');
});

test('of two agents that had the same prompt, a copy is of the one whose name it has', async () => {
  const { published } = await Verifier.ofSite(site.address);
  const agents = published.revisions.agents.map((agent) =>
    agent.slug === 'two'
      ? { ...agent, prompts: [...agent.prompts, { sha256: sha256(third), date: '2026-11-01' }] }
      : agent,
  );
  const verifier = new Verifier({ ...published, revisions: { ...published.revisions, agents } });
  const files = new Map([['prompt.txt', Buffer.from(third)]]);
  for (const [path, slug, verdict] of [
    ['two.txt', 'two', 'older'],
    ['one.txt', 'one', 'same'],
  ] as const) {
    const found = await verifier.verdict({ path, kind: 'prompt', files, named: true });
    assert.equal([found.agent?.slug, found.verdict], [slug, verdict]);
  }
});

test('a changed copy is compared with the revision that has no further lines', async () => {
  const { published } = await Verifier.ofSite(site.address);
  const promptTexts = async () => [`${third}One line more.\n`, third];
  const verifier = new Verifier({ ...published, promptTexts });
  const files = new Map([['prompt.txt', Buffer.from(third.replace('INPUT\n', 'INPUT NOW\n'))]]);
  const { diff } = await verifier.verdict({ path: 'copy.txt', kind: 'prompt', files, named: true });
  assert.match(diff, '\n-INPUT\n+INPUT NOW\n');
  assert.not.match(diff, 'One line more.');
});

test.run();
