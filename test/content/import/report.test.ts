import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Console } from '../../../src/cli/console.ts';
import { withSections } from '../../../src/content/import/import.ts';
import { createProgram } from '../../../src/main.ts';
import { inFolder, writeCatalog, writeFiles } from '../../support/catalog.ts';
import { today, withImport } from '../../support/import.ts';
import { catalog } from '../../support/process.ts';
import { written } from '../../support/written.ts';

/** What `catalog import` says, which files it reads, and which parts of a prompt it moves. */

test('people read each draft with its notes, what was not imported, and how to go on', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, []);
    const rows = 'A,Count.\n"…",x\nB,Count twice.\nC,Count again.\n';
    writeFiles(folder, { 'a.csv': `act,prompt\n${rows}` });
    const run = (...more: string[]) =>
      catalog([
        ...['import', join(folder, 'a.csv'), '--from', 'prompts-chat', '--license', 'CC0-1.0', '--limit', '2'],
        ...['--cwd', folder, '--today', '2026-02-01'],
        ...more,
      ]);
    const note = '  It has no sections yet; write them.\n';
    const wrong =
      'Not imported: row 2 (line 3). Its name has no letter from a to z and no digit, so no slug can be made from it.\n';
    // A dry run writes nothing, so a second one would show the same drafts.
    assert.match((await run('--dry-run')).stderr, 'There are more prompts than --limit 2: raise it to see them.\n');
    const first = await run();
    assert.equal(
      [first.code, first.stdout, first.stderr],
      [
        1,
        `agents/a  2026-02-01  A\n${note}agents/b  2026-02-02  B\n${note}`,
        `${wrong}Wrote 2 drafts. Complete them, and run npx --no daily-agent-catalog validate.\nThere are more prompts than --limit 2: run the command again to continue.\n`,
      ],
    );
    const second = await run();
    assert.equal(
      [second.code, second.stdout, second.stderr],
      [
        1,
        `agents/c  2026-02-03  C\n${note}`,
        `${wrong}2 prompts imported earlier.\nWrote 1 draft. Complete them, and run npx --no daily-agent-catalog validate.\n`,
      ],
    );
    const third = await run();
    assert.equal([third.stdout, third.stderr], ['', `${wrong}3 prompts imported earlier.\nWrote 0 drafts.\n`]);
  }));

test('a slow import says how many prompts it imported, since nobody knows how many there are', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, []);
    writeFiles(folder, { 'a.csv': 'act,prompt\nA,Count.\nB,Count twice.\n' });
    const shown = Object.assign(new PassThrough(), { isTTY: true });
    let now = 0;
    const terminal = new Console(new PassThrough(), shown, {}, () => (now += 5_000));
    const args = ['import', join(folder, 'a.csv'), '--cwd', folder, '--today', '2026-02-01'];
    await (await createProgram(terminal)).parseAsync(args, { from: 'user' });
    const lines = stripVTControlCharacters(written(shown)).split(/[\r\n]+/);
    assert.equal(lines.slice(0, 3), ['', 'Imported: 1', 'Imported: 2']);
    assert.match(String(lines[3]), 'Wrote 2 drafts.');
  }));

test('a draft gets the next date that no other agent has, and the same name from elsewhere is another prompt', async () => {
  await withImport({ 'a.csv': 'act,prompt\nA,a\nB,b\n' }, async (run, folder) => {
    writeCatalog(folder, [
      { slug: 'one', date: today },
      { slug: 'two', date: '2026-02-03', front: { draft: 'true' } },
      { slug: 'three', date: '2026-02-04' },
    ]);
    const from = (address: string) => run('a.csv', '--from', 'prompts-chat', '--source', address);
    const { result } = await from('https://prompts.example/a');
    assert.equal(
      result.drafts.map(({ slug, date }) => [slug, date]),
      [
        ['a', '2026-02-02'],
        ['b', '2026-02-05'],
      ],
    );
    assert.equal((await from('https://prompts.example/a')).result.known, ['a', 'b']);
    assert.equal(
      (await from('https://prompts.example/b')).result.problems.map(({ problem }) => problem),
      ['a', 'b'].map((slug) => `agents/${slug} already exists, and was not imported from here.`),
    );
  });
});

test('a prompt on this machine with the name of an imported one is named, unless the draft was made from it', async () => {
  const files = {
    'a/review.md': 'Read the code line by line.\nReport each bug with its line.\n',
    'b/review.md': 'Read the play.\nReport each scene that drags.\n',
  };
  await withImport(files, async (run, folder) => {
    await run('a');
    assert.equal((await run('a')).result.known, ['review']);
    const other = await run('b');
    const reason = 'agents/review was imported earlier, but from another text. If this is new, rename it.';
    assert.equal([other.code, other.result.known, other.result.skipped], [0, [], [{ where: 'b/review.md', reason }]]);
    writeFiles(folder, { 'agents/review/prompt.txt': 'INPUT\nReport each bug with its line.\n' });
    assert.equal([(await run('a')).result.known, (await run('b')).result.known], [['review'], []]);
  });
});

test('an import of a line with a very long run of spaces takes no time', async () => {
  await withImport({ 'a.md': `| Count. |${' '.repeat(100_000)}| Sum. |\n` }, async (run) => {
    const start = process.cpuUsage();
    assert.is((await run('')).result.drafts.length, 1);
    assert.ok(process.cpuUsage(start).user < 4_000_000, 'it takes quadratic time');
  });
});

for (const limit of ['0', '-1', '1.5', 'ten', '12345678']) {
  test(`--limit ${limit} is wrong usage`, async () => {
    const { code, stderr } = await catalog(['import', 'a.csv', '--from', 'prompts-chat', `--limit=${limit}`]);
    assert.is(code, 2);
    assert.match(stderr, 'It must be a whole number from 1 to 9999999.');
  });
}

test('a folder is searched for the files of the format, in the order of their paths', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, []);
    const agent = (name: string) => `---\nname: ${name}\n---\nDo ${name}.\n`;
    const names = ['b/two.md', 'a.md', 'b/one.md', 'README.md', 'readme.md', 'c.test.md', 'c.txt'];
    const hidden = ['.git/d.md', 'node_modules/x/e.md'];
    // An npm package can be imported, but what is installed within it is not searched.
    const packaged = join(folder, 'node_modules/in');
    writeFiles(
      packaged,
      Object.fromEntries([...names, ...hidden].map((path) => [path, agent(path.replace(/\W/g, '-'))])),
    );
    const args = ['--from', 'claude-agent', '--dry-run', '--cwd', folder, '--format', 'json'];
    const { stdout } = await catalog(['import', packaged, ...args]);
    const { drafts } = JSON.parse(stdout) as { drafts: { where: string }[] };
    assert.equal(
      drafts.map(({ where }) => where),
      ['in/a.md', 'in/b/one.md', 'in/b/two.md'],
    );
  }));

const [input, rules, output] = ['INPUT', 'RULES', 'OUTPUT'].map((name) => ({
  name,
  guidance: withSections('').text.split(`${name}\n`)[1]?.split('\n')[0] ?? '',
})) as [Part, Part, Part];
interface Part {
  name: string;
  guidance: string;
}
const empty = ({ name, guidance }: Part) => `${name}\n${guidance}\n`;

const prompts: [name: string, text: string, expected: string][] = [
  ['no section', 'Do it.', `Do it.\n\n${empty(input)}\n${empty(rules)}\n${empty(output)}`],
  ['bare headings', 'INPUT\na\nOUTPUT:\nb', `INPUT\na\n\n${empty(rules)}\nOUTPUT\nb\n`],
  ['headings of Markdown', '# Inputs\na\n## **Rules**\nb', `INPUT\nInputs:\na\n\nRULES\nb\n\n${empty(output)}`],
  [
    'a heading that says more',
    '# Output format\nJSON.\n# Outputs\nb',
    `${empty(input)}\n${empty(rules)}\nOUTPUT\nOutput format:\nJSON.\n\nOutputs:\nb\n`,
  ],
  [
    'a part of a section, and the next part of the text',
    '## Input\na\n### Form\nCSV\n## Notes\nb',
    `## Notes\nb\n\nINPUT\na\n### Form\nCSV\n\n${empty(rules)}\n${empty(output)}`,
  ],
  [
    'a heading that says more in parentheses',
    'RULES\nb\nOUTPUT (JSON, at most 9 lines):\nc',
    `${empty(input)}\nRULES\nb\n\nOUTPUT\nOutput (JSON, at most 9 lines):\nc\n`,
  ],
  [
    'the three sections of an agent, which stay as they are',
    'Do it.\n\nINPUT\na\n\nRULES, all of them\nb\n\nOUTPUT (JSON)\n# Notes\nc\n',
    'Do it.\n\nINPUT\na\n\nRULES, all of them\nb\n\nOUTPUT (JSON)\n# Notes\nc\n',
  ],
  [
    'three lines that begin like headings without text below them',
    'INPUT is a list.\nRULES are strict.\nOUTPUT only JSON.',
    ` INPUT is a list.\n RULES are strict.\n OUTPUT only JSON.\n\n${empty(input)}\n${empty(rules)}\n${empty(output)}`,
  ],
  ['an empty section', '# Input\n\n# Rules\nb', `${empty(input)}\nRULES\nb\n\n${empty(output)}`],
  ['an empty section in the plural', '# Inputs\n\n# Rules\nb', `${empty(input)}\nRULES\nb\n\n${empty(output)}`],
  [
    'a line that only begins like a heading',
    'RULES of the house\nx',
    ` RULES of the house\nx\n\n${empty(input)}\n${empty(rules)}\n${empty(output)}`,
  ],
  [
    'a heading of Markdown after a bare one',
    'INPUT\na\n# Notes\nb',
    `# Notes\nb\n\nINPUT\na\n\n${empty(rules)}\n${empty(output)}`,
  ],
  [
    'the name of a section as an ordinary line',
    'Read the\nrules\nof it.',
    `Read the\nrules\nof it.\n\n${empty(input)}\n${empty(rules)}\n${empty(output)}`,
  ],
  [
    'a fence that is open in its last section',
    '# Input\na\n# Rules\n~~~~\nb',
    `INPUT\na\n\nRULES\n~~~~\nb\n~~~~\n\n${empty(output)}`,
  ],
  [
    'tags around them and in them',
    '<form>\n# Output\n<answer>\nb\n</answer>\n</form>\n\n<rules>\n# Rules\nc\n</rules>\nEnd.',
    `<form>\n\n</form>\n\n<rules>\n\n</rules>\nEnd.\n\n${empty(input)}\nRULES\nc\n\nOUTPUT\n<answer>\nb\n</answer>\n`,
  ],
  [
    'tags that begin within a line of a section',
    '# Rules\n1. Copy the <note>\nb\n</note>\n2. Add\n  <sum>\nc\n</sum>\n3. Stop',
    `${empty(input)}\nRULES\n1. Copy the <note>\nb\n</note>\n2. Add\n  <sum>\nc\n</sum>\n3. Stop\n\n${empty(output)}`,
  ],
  [
    'a heading in a code fence',
    '```\n# Input\n```',
    `\`\`\`\n# Input\n\`\`\`\n\n${empty(input)}\n${empty(rules)}\n${empty(output)}`,
  ],
];
for (const [name, text, expected] of prompts) {
  test(`the sections of a prompt with ${name}`, () => assert.is(withSections(text).text, expected));
}

test.run();
