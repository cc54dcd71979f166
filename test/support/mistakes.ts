import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as placeholders from '../../src/catalog/parse/placeholders.ts';
import type { RuleCode } from '../../src/diagnostics/codes.ts';
import { type SmallAgent, smallAgent, smallSettings, writeCatalog, writeFiles } from './catalog.ts';
import { gitSync } from './git.ts';
import { goodPrompt, goodSampleInput, goodSampleOutput } from './good-agent.ts';

/**
 * Every mistake that an editor can make, as a change to a valid catalog, with the expected report.
 *
 * The first row of a code is also its example in docs/rules.md.
 */
export interface Mistake {
  /** The mistake of the editor, in words. */
  name: string;
  code: RuleCode;
  /** file:line:column of the only diagnostic with that code. */
  at: string;
  agents?: SmallAgent[];
  settings?: object;
  /** A change to the folder that has no other way. */
  change?: (folder: string) => void;
  /** A path that the process cannot read. */
  deny?: string;
  /** A text in how an agent works on which the program fails. */
  breakOn?: string;
}

const one = (change: Partial<SmallAgent> = {}): SmallAgent[] => [{ slug: 'one', date: '2026-01-01', ...change }];
const front = (keys: Record<string, string | null>) => one({ front: keys });
const file = (name: string, content: string | Uint8Array | null) => one({ files: { [name]: content } });
const agentMd = String(smallAgent({ slug: 'one', date: '2026-01-01' })['agent.md']);
const prompt = 'INPUT\n- TEXT: the text\n\nRULES\n1. Use TEXT only.\n\nOUTPUT\nOne line about one.\n';
const md = 'agents/one/agent.md';
const conflict = (ours: string, theirs: string) => `<<<<<<< HEAD\n${ours}\n=======\n${theirs}\n>>>>>>> main\n`;

const published = one({ front: { issue: '1' } });

/** Makes the folder a repository that has recorded what is in it. */
function commitAll(folder: string): void {
  gitSync(folder, 'init', '--quiet', '--initial-branch', 'main');
  gitSync(folder, 'add', '--all');
  gitSync(folder, 'commit', '--quiet', '-m', 'Publish');
}

/** Commits what is there, then writes an agent. */
function afterCommit(folder: string, agent: SmallAgent): void {
  commitAll(folder);
  writeFiles(join(folder, 'agents', agent.slug), smallAgent(agent));
}

export const mistakes: Mistake[] = [
  {
    name: 'agents that is a file',
    code: 'agents/unreadable',
    at: 'agents:1:1',
    change: (folder) => replaceAgents(folder),
  },
  {
    name: 'an agent that makes the program fail',
    code: 'agent/unprocessable',
    at: `${md}:1:1`,
    agents: file('agent.md', agentMd.replace('It works', 'It works somehow')),
    breakOn: 'somehow',
  },
  {
    name: 'a file among the folders',
    code: 'folder/not-a-folder',
    at: 'agents/notes.txt:1:1',
    change: (folder) => writeFiles(folder, { 'agents/notes.txt': 'Remember the milk.\n' }),
  },
  {
    name: 'a folder name with capitals and spaces',
    code: 'folder/name',
    at: 'agents/My Agent:1:1',
    agents: one({ slug: 'My Agent' }),
  },
  {
    name: 'a slug is too long',
    code: 'folder/name',
    at: `agents/${'a'.repeat(65)}:1:1`,
    agents: one({ slug: 'a'.repeat(65) }),
  },
  {
    name: 'a slug that Windows reserves',
    code: 'folder/reserved-name',
    at: 'agents/con:1:1',
    agents: one({ slug: 'con' }),
  },
  {
    name: 'a slug that MCP reserves',
    code: 'folder/reserved-name',
    at: 'agents/catalog:1:1',
    agents: one({ slug: 'catalog' }),
  },
  {
    name: 'a slug that is the page of its folder',
    code: 'folder/reserved-name',
    at: 'agents/index:1:1',
    agents: one({ slug: 'index' }),
  },
  {
    name: 'a folder that cannot be read',
    code: 'folder/unreadable',
    at: 'agents/one:1:1',
    deny: join('agents', 'one'),
  },
  {
    name: 'a file cannot be read',
    code: 'folder/unreadable',
    at: 'agents/one/prompt.txt:1:1',
    deny: join('one', 'prompt.txt'),
  },
  {
    name: 'a folder that is a symbolic link',
    code: 'folder/symlink',
    at: 'agents/two:1:1',
    change: (folder) => symlinkSync('one', join(folder, 'agents', 'two')),
  },
  {
    name: 'a file is a symbolic link',
    code: 'folder/symlink',
    at: 'agents/one/prompt.txt:1:1',
    change(folder) {
      rmSync(join(folder, 'agents/one/prompt.txt'));
      symlinkSync('/etc/hostname', join(folder, 'agents/one/prompt.txt'));
    },
  },
  {
    name: 'a missing file',
    code: 'folder/missing-file',
    at: 'agents/one:1:1',
    agents: file('sample-output.txt', null),
  },
  {
    name: 'a file has nearly the right name',
    code: 'folder/missing-file',
    at: 'agents/one/promt.txt:1:1',
    agents: one({ files: { 'prompt.txt': null, 'promt.txt': prompt } }),
  },
  {
    name: 'a file that does not belong there',
    code: 'folder/unknown-file',
    at: 'agents/one/notes.txt:1:1',
    agents: file('notes.txt', 'x\n'),
  },
  {
    name: 'a folder within the folder',
    code: 'folder/unknown-file',
    at: 'agents/one/images:1:1',
    change: (folder) => writeFiles(folder, { 'agents/one/images/a.txt': 'x\n' }),
  },
  {
    name: 'two configs',
    code: 'folder/two-configs',
    at: 'agents/one/config.md:1:1',
    agents: one({ files: { 'config.json': '{}\n', 'config.md': 'x\n' } }),
  },
  {
    name: 'a file that is too large',
    code: 'file/too-large',
    at: 'agents/one/sample-input.txt:1:1',
    agents: file('sample-input.txt', 'x'.repeat(262_145)),
  },
  {
    name: 'an empty file',
    code: 'file/empty',
    at: 'agents/one/sample-input.txt:1:1',
    agents: file('sample-input.txt', '\n'),
  },
  {
    name: 'agent.md has no body',
    code: 'file/empty',
    at: `${md}:30:4`,
    agents: file('agent.md', agentMd.replace(/It works.*\n/, '')),
  },
  {
    name: 'a file in Latin-1',
    code: 'file/encoding',
    at: 'agents/one/sample-input.txt:2:4',
    agents: file('sample-input.txt', Buffer.from('TEXT: hello\ncafé\n', 'latin1')),
  },
  {
    name: 'Windows line endings',
    code: 'file/line-ends',
    at: 'agents/one/prompt.txt:1:6',
    agents: file('prompt.txt', prompt.replaceAll('\n', '\r\n')),
  },
  {
    name: 'Windows line ends in agent.md',
    code: 'file/line-ends',
    at: `${md}:1:4`,
    agents: file('agent.md', agentMd.replaceAll('\n', '\r\n')),
  },
  {
    name: 'a prompt that ends without a newline',
    code: 'file/final-newline',
    at: 'agents/one/prompt.txt:8:20',
    agents: file('prompt.txt', prompt.trimEnd()),
  },
  {
    name: 'the prompt ends with blank lines',
    code: 'file/final-newline',
    at: 'agents/one/prompt.txt:8:20',
    agents: file('prompt.txt', `${prompt}\n\n`),
  },
  {
    name: 'a right-to-left override',
    code: 'text/hidden-character',
    at: 'agents/one/prompt.txt:5:12',
    agents: file('prompt.txt', prompt.replace('TEXT only', 'TEXT\u202e only')),
  },
  {
    name: 'a zero-width space',
    code: 'text/hidden-character',
    at: `${md}:2:11`,
    agents: front({ title: 'The\u200b agent' }),
  },
  {
    name: 'Unicode tags that a model reads and a person does not',
    code: 'text/hidden-character',
    at: 'agents/one/sample-input.txt:1:12',
    agents: file('sample-input.txt', 'TEXT: hello\u{e0049}\u{e0067}\n'),
  },
  {
    name: 'a byte-order mark',
    code: 'text/hidden-character',
    at: 'agents/one/sample-input.txt:1:1',
    agents: file('sample-input.txt', '\ufeffTEXT: hello\n'),
  },
  {
    name: 'an API key in the prompt',
    code: 'text/secret',
    at: 'agents/one/prompt.txt:5:18',
    agents: file('prompt.txt', prompt.replace('TEXT only', `TEXT with ${'ghp_'}${'a1B2'.repeat(9)}`)),
  },
  {
    name: 'a merge conflict in the prompt',
    code: 'text/conflict',
    at: 'agents/one/prompt.txt:5:1',
    agents: file('prompt.txt', prompt.replace(/1\. Use.*\n/, conflict('1. Use TEXT only.', '1. Use TEXT.'))),
  },
  {
    name: 'a merge conflict in the front matter',
    code: 'text/conflict',
    at: `${md}:2:1`,
    agents: file('agent.md', agentMd.replace(/title:.*\n/, conflict('title: One', 'title: Two'))),
  },
  {
    name: 'a merge conflict in how it works',
    code: 'text/conflict',
    at: `${md}:31:1`,
    agents: file('agent.md', agentMd.replace(/It works.*\n/, conflict('It works.', 'It works well.'))),
  },
  {
    name: 'a merge conflict in a sample',
    code: 'text/conflict',
    at: 'agents/one/sample-input.txt:9:1',
    agents: file('sample-input.txt', `${goodSampleInput}${conflict('mat, 1, 2.00', 'mat, 1, 3.00')}`),
  },
  {
    name: 'a merge conflict in a config',
    code: 'text/conflict',
    at: 'agents/one/config.json:1:1',
    agents: file('config.json', conflict('{}', '{ "a": 1 }')),
  },
  {
    name: 'the end of a merge conflict',
    code: 'text/conflict',
    at: 'agents/one/sample-output.txt:12:1',
    agents: file('sample-output.txt', `${goodSampleOutput}=======\nOdd: all\n>>>>>>> main\n`),
  },
  {
    name: 'a placeholder of catalog new in the prompt',
    code: 'text/placeholder',
    at: 'agents/one/prompt.txt:1:1',
    agents: file('prompt.txt', `${placeholders.prompt(null).match(/\[Replace.*\]/)?.[0]}\n\n${goodPrompt}`),
  },
  {
    name: 'the excerpt of catalog new',
    code: 'text/placeholder',
    at: `${md}:8:10`,
    agents: front({ excerpt: placeholders.excerpt }),
  },
  {
    name: 'the sample input of catalog new',
    code: 'text/placeholder',
    at: 'agents/one/sample-input.txt:3:3',
    agents: file('sample-input.txt', placeholders.sampleInput(null).replace(/^1 .*\n/m, '1 The guests arrive.\n')),
  },
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
    name: 'agent.md without front matter',
    code: 'front-matter/missing',
    at: `${md}:1:1`,
    agents: file('agent.md', 'Just text.\n'),
  },
  {
    name: 'front matter that is not closed',
    code: 'front-matter/missing',
    at: `${md}:1:1`,
    agents: file('agent.md', '---\ntitle: x\n'),
  },
  {
    name: 'front matter in JavaScript',
    code: 'front-matter/language',
    at: `${md}:1:4`,
    agents: file('agent.md', agentMd.replace('---', '---js')),
  },
  {
    name: 'front matter in JSON',
    code: 'front-matter/language',
    at: `${md}:1:4`,
    agents: file('agent.md', agentMd.replace('---', '---json')),
  },
  {
    name: 'front matter that is not YAML',
    code: 'front-matter/yaml',
    at: `${md}:2:8`,
    agents: front({ title: '"A title: half' + ' quoted' }),
  },
  {
    name: 'a colon in plain text',
    code: 'front-matter/yaml',
    at: `${md}:2:8`,
    agents: front({ title: 'The agent: a story' }),
  },
  {
    name: 'the same key twice',
    code: 'front-matter/duplicate-key',
    at: `${md}:4:1`,
    agents: front({ date: '2026-01-01\ntitle: Again' }),
  },
  { name: 'an anchor', code: 'front-matter/anchor', at: `${md}:2:8`, agents: front({ title: '&name The agent' }) },
  { name: 'an alias', code: 'front-matter/anchor', at: `${md}:2:8`, agents: front({ title: '*name' }) },
  { name: 'a missing key', code: 'front-matter/missing-key', at: `${md}:1:1`, agents: front({ excerpt: null }) },
  {
    name: 'a step without its text',
    code: 'front-matter/missing-key',
    at: `${md}:11:5`,
    agents: front({ steps: '\n  - name: Copy' }),
  },
  {
    name: 'a misspelled key',
    code: 'front-matter/unknown-key',
    at: `${md}:29:1`,
    agents: front({ tags: null, tagz: '[a]' }),
  },
  {
    name: 'a key that nobody knows',
    code: 'front-matter/unknown-key',
    at: `${md}:30:1`,
    agents: front({ colour: 'blue' }),
  },
  {
    name: 'a misspelled difficulty',
    code: 'front-matter/value',
    at: `${md}:6:13`,
    agents: front({ difficulty: 'medum' }),
  },
  {
    name: 'an unknown category',
    code: 'front-matter/value',
    at: `${md}:4:11`,
    agents: front({ category: 'gardening' }),
  },
  { name: 'a wrong type', code: 'front-matter/value', at: `${md}:2:8`, agents: front({ title: '2026' }) },
  { name: 'a key without a value', code: 'front-matter/value', at: `${md}:9:1`, agents: front({ problem: '' }) },
  { name: 'a list that is text', code: 'front-matter/value', at: `${md}:5:7`, agents: front({ tags: 'testing' }) },
  {
    name: 'a tag with capitals',
    code: 'front-matter/value',
    at: `${md}:5:17`,
    agents: front({ tags: '[testing, Two Words]' }),
  },
  {
    name: 'a tag that is the page of its folder',
    code: 'front-matter/value',
    at: `${md}:5:17`,
    agents: front({ tags: '[testing, index]' }),
  },
  {
    name: 'a tag that Windows reserves',
    code: 'front-matter/value',
    at: `${md}:5:17`,
    agents: front({ tags: '[testing, com1]' }),
  },
  {
    name: 'a former slug that is the page of its folder',
    code: 'front-matter/value',
    at: `${md}:30:15`,
    agents: front({ formerSlugs: '[index]' }),
  },
  {
    name: 'a former slug that MCP reserves',
    code: 'front-matter/value',
    at: `${md}:30:15`,
    agents: front({ formerSlugs: '[catalog]' }),
  },
  { name: 'a tag twice', code: 'front-matter/value', at: `${md}:5:13`, agents: front({ tags: '[one, one]' }) },
  {
    name: 'a day that the calendar does not have',
    code: 'front-matter/value',
    at: `${md}:3:7`,
    agents: front({ date: '2026-02-30' }),
  },
  { name: 'a date in another form', code: 'front-matter/value', at: `${md}:3:7`, agents: front({ date: '30.1.2026' }) },
  { name: 'a number that is none', code: 'front-matter/value', at: `${md}:30:8`, agents: front({ issue: '0' }) },
  {
    name: 'an unsafe video address',
    code: 'front-matter/value',
    at: `${md}:30:11`,
    agents: front({ videoUrl: 'javascript:alert(1)' }),
  },
  ...[
    'http://videos.example/v',
    'https://accounts.google.com@evil.example/v',
    'https://127.0.0.1/v',
    'https://[::1]/v',
    'https://localhost/v',
    'https://videos.example:8443/v',
    'https:\\\\evil.example',
    'https:evil.example',
    'https://videos.example/a b',
    'https://vidеos.example/v',
  ].map(
    (address): Mistake => ({
      name: `a video at ${address}`,
      code: 'front-matter/value',
      at: `${md}:30:11`,
      agents: front({ videoUrl: JSON.stringify(address) }),
    }),
  ),
  {
    name: 'a file name with a path',
    code: 'front-matter/value',
    at: `${md}:30:17`,
    agents: one({ front: { configFilename: '../x' }, files: { 'config.json': '{}\n' } }),
  },
  {
    name: 'a demo out of order',
    code: 'front-matter/value',
    at: `${md}:21:13`,
    agents: front({
      demo: '\n  - second: 10\n    label: a\n    detail: b\n  - second: 5\n    label: c\n    detail: d',
    }),
  },
  ...(
    [
      ['a link that opens a program', '[Install](vscode:extension/a.b)', 'link', '33:11'],
      ['a link that runs a script', '[x](javascript:alert(1))', 'link', '33:5'],
      ['a link to a program without brackets', 'See <cursor://a/b>.', 'link', '33:6'],
      ['a link by reference to a program', 'See [it].\n\n[it]: ms-msdt:/id', 'link', '35:7'],
      ['a link written with entities', 'Well:\n[x](java&Tab;script:alert(1))', 'link', '33:1'],
      ['a link to data', '[x](DATA:text/html,hi)', 'link', '33:5'],
      ['a link with a user name', '[Sign in](https://accounts.google.com@evil.example)', 'link', '33:11'],
      ['a link with a backslash', '[x](https:\\evil.example)', 'link', '33:5'],
      ['a link that leaves out the scheme', '[x](//evil.example)', 'link', '33:5'],
      ['an image from another site', 'Look: ![A cat](https://evil.example/c.png)', 'image', '33:16'],
      ['an image by reference', '![A cat][c]\n\n[c]: /c.png', 'image', '35:6'],
      ['HTML that loads an image', 'Look: <img src="https://evil.example/c.png">', 'html', '33:7'],
      ['too many headings', '# a\n'.repeat(101), 'size', '133:1'],
      ['lists in lists in lists', `${'- '.repeat(21)}a`, 'size', '33:1'],
    ] as const
  ).map(
    ([name, text, rule, at]): Mistake => ({
      name,
      code: `markdown/${rule}`,
      at: `${md}:${at}`,
      agents: file('agent.md', agentMd.replace(/(It works.*\n)/, `$1\n${text}\n`)),
    }),
  ),
  {
    name: 'a prompt without RULES',
    code: 'prompt/sections',
    at: 'agents/one/prompt.txt:1:1',
    agents: file('prompt.txt', prompt.replace('RULES\n', '')),
  },
  {
    name: 'a section twice',
    code: 'prompt/sections',
    at: 'agents/one/prompt.txt:9:1',
    agents: file('prompt.txt', `${prompt}INPUT again\n`),
  },
  {
    name: 'sections out of order',
    code: 'prompt/sections',
    at: 'agents/one/prompt.txt:1:1',
    agents: file('prompt.txt', 'RULES\nx\n\nINPUT\ny\n\nOUTPUT\nz\n'),
  },
  {
    name: 'a config that a browser would show as a page',
    code: 'config/extension',
    at: 'agents/one/config.html:1:1',
    agents: file('config.html', '<p>hello</p>\n'),
  },
  {
    name: 'a config that is a script',
    code: 'config/extension',
    at: 'agents/one/config.mjs:1:1',
    agents: file('config.mjs', 'export {};\n'),
  },
  {
    name: 'a config whose extension has capitals',
    code: 'config/extension',
    at: 'agents/one/config.JSON:1:1',
    agents: file('config.JSON', '{}\n'),
  },
  ...['.bashrc', '.yarnrc.yml', '-rf.json', 'CON.json', 'setup.exe', 'a.json.', '.env', 'a b.json'].map(
    (name): Mistake => ({
      name: `a config to be saved as ${name}`,
      code: 'front-matter/value',
      at: `${md}:30:17`,
      agents: one({ front: { configFilename: JSON.stringify(name) }, files: { 'config.json': '{}\n' } }),
    }),
  ),
  {
    name: 'a config that is not JSON',
    code: 'config/json',
    at: 'agents/one/config.json:2:9',
    agents: file('config.json', '{\n  "a": 1,\n}\n'),
  },
  {
    name: 'a config file name without a config',
    code: 'config/filename',
    at: `${md}:30:1`,
    agents: front({ configFilename: 'x.json' }),
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
    name: 'no settings',
    code: 'settings/missing',
    at: 'catalog.config.json:1:1',
    change: (folder) => rmSync(join(folder, 'catalog.config.json')),
  },
  {
    name: 'settings that are not JSON',
    code: 'settings/json',
    at: 'catalog.config.json:1:2',
    change: (folder) => writeFiles(folder, { 'catalog.config.json': `{,${JSON.stringify(smallSettings).slice(1)}\n` }),
  },
  {
    name: 'the same setting twice',
    code: 'settings/duplicate-key',
    at: 'catalog.config.json:1:20',
    change: (folder) =>
      writeFiles(folder, { 'catalog.config.json': `{"title": "Twice", ${JSON.stringify(smallSettings).slice(1)}\n` }),
  },
  {
    name: 'a missing setting',
    code: 'settings/missing-key',
    at: 'catalog.config.json:1:1',
    settings: { feedId: undefined },
  },
  {
    name: 'a misspelled setting',
    code: 'settings/unknown-key',
    at: 'catalog.config.json:32:3',
    settings: { timezon: 'UTC' },
  },
  {
    name: 'a time zone that does not exist',
    code: 'settings/value',
    at: 'catalog.config.json:6:15',
    settings: { timezone: 'Europe/Atlantis' },
  },
  {
    name: 'a base URL that is none',
    code: 'settings/value',
    at: 'catalog.config.json:12:14',
    settings: { baseUrl: 'press.example' },
  },
  {
    name: 'a base URL with a user name',
    code: 'settings/value',
    at: 'catalog.config.json:12:14',
    settings: { baseUrl: 'https://press.example@evil.example' },
  },
  {
    name: 'a category key with a space',
    code: 'settings/value',
    at: 'catalog.config.json:14:5',
    settings: { categories: { 'my things': { label: 'x', description: 'y' } } },
  },
  {
    name: 'a template that replaces none',
    code: 'template/unknown',
    at: 'templates/hom.hbs:1:1',
    change: (folder) => writeFiles(folder, { 'templates/hom.hbs': 'x\n' }),
  },
  {
    name: 'a broken template',
    code: 'template/syntax',
    at: 'templates/404.hbs:2:1',
    change: (folder) => writeFiles(folder, { 'templates/404.hbs': '<h1>Lost</h1>\n{{#if agents}}\n<p>x</p>\n' }),
  },
  {
    name: 'a template that names what does not exist',
    code: 'template/syntax',
    at: 'templates/404.hbs:1:7',
    change: (folder) => writeFiles(folder, { 'templates/404.hbs': '<h1>{{settings.titel}}</h1>\n' }),
  },
  {
    name: 'a social image that is not an SVG',
    code: 'template/picture',
    at: 'templates/social-image.hbs:1:1',
    change: (folder) => writeFiles(folder, { 'templates/social-image.hbs': '<svg><text></svg>\n' }),
  },
  {
    name: 'a file that is not a font',
    code: 'template/font',
    at: 'templates/fonts/own.ttf:1:1',
    change: (folder) => writeFiles(folder, { 'templates/fonts/own.ttf': 'no font\n' }),
  },
];

function replaceAgents(folder: string): void {
  rmSync(join(folder, 'agents'), { recursive: true });
  writeFiles(folder, { agents: 'not a folder\n' });
}

/** Writes the catalog of a mistake into a folder; the result is what a process needs to see it. */
export function makeMistake(folder: string, { agents = one(), settings = {}, change, deny }: Mistake) {
  writeCatalog(folder, agents, settings);
  change?.(folder);
  return deny === undefined
    ? {}
    : { node: ['--import', fileURLToPath(new URL('./deny.mjs', import.meta.url))], env: { DENY: deny } };
}
