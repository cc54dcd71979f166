import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as placeholders from '../../../src/content/parse/placeholders.ts';
import { inFolder, snapshot, writeCatalog } from '../../support/catalog.ts';
import { inputGuidance, outputGuidance, read, rulesGuidance, today, withImport } from '../../support/import.ts';
import { catalog } from '../../support/process.ts';

/** `catalog import`: prompts become drafts, in which nothing is invented. */

const frontMatter = (values: string) => `---
${values}
steps:
${placeholders.steps.map(({ name, text }) => `  - name: ${name}\n    text: ${text}\n`).join('')}demo:
`;

test('a row of prompts.chat becomes a draft with its source, its title and guidance for everything else', async () => {
  const csv = `act,prompt,for_devs,type,contributor
"Stock ""Clerk""","Count the rows.

Then say ""done"", in 1 line.",FALSE,TEXT,ada
`;
  await withImport({ 'prompts.csv': csv }, async (run, folder) => {
    const args = [
      'prompts.csv',
      '--from',
      'prompts-chat',
      '--license',
      'CC0-1.0',
      '--source',
      'https://prompts.example',
    ];
    const { code, result } = await run(...args);
    assert.is(code, 0);
    assert.equal(result.drafts, [
      {
        slug: 'stock-clerk',
        title: 'Stock "Clerk"',
        date: '2026-02-02',
        where: 'row 1 (line 2)',
        license: 'CC0-1.0',
        publishable: true,
        notes: ['It has no sections yet; write them.'],
      },
    ]);
    const text = read(folder, 'stock-clerk/agent.md');
    assert.ok(
      text.startsWith(
        frontMatter(`title: "Stock \\"Clerk\\""
date: 2026-02-02
draft: true
category: coding
tags: [stock, clerk]
difficulty: easy
runtimes: [Claude]
excerpt: ${placeholders.excerpt}
problem: ${JSON.stringify(placeholders.problem)}
source:
  address: "https://prompts.example"
  license: CC0-1.0`),
      ),
      text,
    );
    assert.is(
      read(folder, 'stock-clerk/prompt.txt'),
      `Count the rows.\n\nThen say "done", in 1 line.\n\nINPUT\n${inputGuidance}\n\nRULES\n${rulesGuidance}\n\nOUTPUT\n${outputGuidance}\n`,
    );
    assert.match(read(folder, 'stock-clerk/sample-input.txt'), /^\[Replace all of this by a realistic sample .*\]\n$/);
    assert.is(read(folder, 'stock-clerk/sample-output.txt'), `${placeholders.answerGuidance}\n`);

    const before = snapshot(folder);
    const again = await run(...args);
    assert.equal([again.code, again.result.drafts, again.result.known], [0, [], ['stock-clerk']]);
    assert.equal(snapshot(folder), before);

    const validated = await catalog(['validate', 'stock-clerk', '--cwd', folder, '--today', today, '--format', 'json']);
    const codes = (JSON.parse(validated.stdout).diagnostics as { code: string }[]).map((each) => each.code);
    assert.equal(
      codes.filter((each) => !each.startsWith('editorial/')),
      [],
    );
    assert.is((await catalog(['build', '--drafts', '--cwd', folder, '--today', today])).code, 0);
  });
});

const token = ['ghp', 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6'].join('_');
const problems: [name: string, csv: string | Uint8Array, expected: string[]][] = [
  ['a secret', `act,prompt\nA,${token}\n`, ['row 1 (line 2): Line 2: This looks like a GitHub token.']],
  [
    'a hidden character in the middle of its text',
    'act,prompt\nA,"Count.\r\n# Output\r\n\r\na\u202eb\r\n# Rules\r\nc"\n',
    ['row 1 (line 2): Line 5: This is the hidden character U+202E'],
  ],
  [
    'a secret in a title',
    `act,prompt\n${token},b\nThe one agent,c\n`,
    [
      'row 1 (line 2): This looks like a GitHub token.',
      'row 2 (line 3): Its title, The one agent, is already the title of one.',
    ],
  ],
  ['a name without letters', 'act,prompt\n"…",x\n', ['row 1 (line 2): Its name has no letter']],
  [
    'a name without letters, after a byte-order mark and an empty line',
    '\ufeffact,prompt\n\n"…",x\n',
    ['row 1 (line '],
  ],
  ['an empty prompt', 'act,prompt\nA, \n', ['row 1 (line 2): It is empty.']],
  [
    'the slug of another agent',
    'act,prompt\nOne,x\n',
    ['row 1 (line 2): agents/one already exists, and was not imported from here.'],
  ],
];
for (const [name, csv, expected] of problems) {
  test(`a row with ${name} is not imported, and the report says why`, async () => {
    await withImport({ 'a.csv': csv }, async (run, folder) => {
      const before = snapshot(folder);
      const { code, result } = await run('a.csv', '--from', 'prompts-chat');
      assert.is(code, 1);
      assert.is(result.problems.length, expected.length);
      for (const [index, { where, problem }] of result.problems.entries())
        assert.ok(`${where}: ${problem}`.startsWith(expected[index] as string), `${where}: ${problem}`);
      assert.not.match(JSON.stringify(result), token);
      assert.equal(snapshot(folder), before);
    });
  });
}

const broken: [name: string, csv: string | Uint8Array, message: RegExp][] = [
  [
    'a quote that is never closed',
    'act,prompt\nA,a\nB,"b\nC,c\n',
    /^error: Row 2 of the CSV, which starts in line 3, cannot be read: it has a quote that is never closed/,
  ],
  [
    'a quote within a cell',
    'act,prompt\nA,a\nB,"b" c\n',
    /^error: Row 2 of the CSV, which starts in line 3, cannot be read: it has a quote in the middle/,
  ],
  [
    'too few cells',
    'act,prompt\nA,a\nB\n',
    /^error: Row 2 of the CSV, which starts in line 3, cannot be read: it has a different number of cells/,
  ],
  [
    'Latin-1',
    Buffer.concat([Buffer.from(`act,prompt\nA,a\n${'x,y\n'.repeat(1)}`), Buffer.from('é,é\n', 'latin1')]),
    /not UTF-8 text: the first invalid character is on line 4 or after it/,
  ],
  [
    'half of a character at its end',
    Buffer.from('act,prompt\nA,a\n\xc3', 'latin1'),
    /not UTF-8 text.* line 3 or after/,
  ],
  ['no byte', '', /^error: The CSV has no row\. Its first line has to name the columns act and prompt\./],
  ['other columns', 'title,text\nA,a\n', /^error: The CSV has no column act and no column prompt\./],
];
for (const [name, csv, message] of broken) {
  test(`nothing is imported from a CSV with ${name}, and the error says where`, async () => {
    await withImport({ 'a.csv': csv }, async (run, folder) => {
      const before = snapshot(folder);
      const { code, stderr } = await run('a.csv', '--from', 'prompts-chat');
      assert.is(code, 1);
      assert.match(stderr, message);
      assert.equal(snapshot(folder), before);
    });
  });
}

test('an import continues where the limit stopped it, names repetitions, and writes nothing in a dry run', async () => {
  const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');
  const rows = ['A', 'B', 'C'].map((name) => `Prompt ${name},${words}\n`).join('');
  const csv = `act,prompt\n${rows}Prompt A,other\n`;
  await withImport({ 'a.csv': csv }, async (run, folder) => {
    const before = snapshot(folder);
    const dry = await run('a.csv', '--from', 'prompts-chat', '--dry-run');
    assert.is(dry.code, 1);
    assert.equal(
      dry.result.drafts.map(({ slug, date }) => [slug, date]),
      [
        ['prompt-a', '2026-02-02'],
        ['prompt-b', '2026-02-03'],
        ['prompt-c', '2026-02-04'],
      ],
    );
    assert.equal(dry.result.problems, [
      { where: 'row 4 (line 5)', problem: 'It has the same slug as row 1 (line 2): prompt-a. Rename one of them.' },
    ]);
    assert.equal(snapshot(folder), before);

    const first = await run('a.csv', '--from', 'prompts-chat', '--limit', '2');
    assert.equal([first.result.drafts.length, first.result.more], [2, true]);
    assert.is(first.result.drafts[1]?.notes.at(-1), '100% of its prompt is also in prompt-a.');
    const second = await run('a.csv', '--from', 'prompts-chat', '--limit', '2');
    assert.equal([second.result.drafts.map(({ slug }) => slug), second.result.more], [['prompt-c'], false]);
    assert.equal(second.result.known, ['prompt-a', 'prompt-b']);
    // Another prompt with the name of an imported one is not lost unseen.
    assert.equal([second.code, second.result.problems], [1, dry.result.problems]);
    assert.is(second.result.drafts[0]?.date, '2026-02-04');
  });
});

test('the guidance in drafts is not a repetition', async () => {
  const row = (name: string) => `${name},${Array.from({ length: 50 }, (_, index) => `${name}${index}`).join(' ')}\n`;
  await withImport({ 'a.csv': `act,prompt\n${row('A')}${row('B')}` }, async (run) => {
    const { result } = await run('a.csv', '--from', 'prompts-chat', '--license', 'MIT-0');
    const notes = ['It has no sections yet; write them.'];
    assert.equal(
      result.drafts.map((draft) => draft.notes),
      [notes, notes],
    );
  });
});

test('an imported agent is published only if its license allows it, unless the settings change that rule', async () => {
  await inFolder(async (folder) => {
    const build = async (license: string, rules = {}) => {
      writeCatalog(folder, [{ slug: 'one', date: today, front: { source: `{ license: ${license} }` } }], { rules });
      return (await catalog(['build', '--cwd', folder, '--today', today])).code;
    };
    assert.equal([await build('cc0-1.0'), await build('MIT'), await build('unknown')], [0, 1, 1]);
    assert.is(await build('MIT', { 'source/license': 'warning' }), 0);
    assert.not.match(read(folder, '../dist/api/agents/one.json'), 'MIT');
    assert.match(read(folder, '../dist/agents/one.html'), 'The prompt is based on a text by others (MIT).</p>');
    const front = { source: '{ address: "https://prompts.example/a", license: CC0-1.0 }' };
    writeCatalog(folder, [{ slug: 'one', date: today, front }]);
    assert.is((await catalog(['build', '--cwd', folder, '--today', today])).code, 0);
    assert.match(
      read(folder, '../dist/agents/one.html'),
      'based on <a href="https://prompts.example/a">https://prompts.example/a</a> (CC0-1.0).</p>',
    );
    assert.match(read(folder, '../dist/agents/one.md'), 'The prompt is based on https://prompts.example/a (CC0-1.0).');
  });
});

test('what cannot be read is an error that names it', async () => {
  await withImport({ 'x.txt': 'x' }, async (run, folder) => {
    symlinkSync('/etc', join(folder, 'in/SKILL.md'));
    symlinkSync('x.txt', join(folder, 'in/link.md'));
    symlinkSync('.', join(folder, 'in/loop'));
    const said = async (path: string, ...args: string[]) => (await run(path, ...args)).stderr.replaceAll(folder, '');
    assert.is(
      await said('none', '--from', 'skill'),
      'error: /in/none cannot be read: there is no such file or folder (ENOENT).\n',
    );
    // Messages about an address name the argument that it was typed as, not an option that nobody typed.
    for (const address of ['ftp://example.com/a.md', 'https://me:key@example.com/a.md']) {
      const { code, stderr } = await catalog(['import', address, '--cwd', folder]);
      assert.equal([code, stderr.slice(0, 30)], [2, `error: \`path|url\` is "${address}`.slice(0, 30)]);
    }
    assert.is(await said('', '--from', 'skill'), 'error: /in has no files of the format skill.\n');
    assert.is(await said('', '--from', 'prompts-chat'), 'error: /in is not a file. Name the CSV itself.\n');
    assert.is(await said('loop', '--from', 'prompts-chat'), 'error: /in/loop is not a file. Name the CSV itself.\n');
    assert.is((await run('link.md', '--from', 'copilot')).result.drafts[0]?.slug, 'link');
    assert.match(await said('', '--from', 'skills'), "argument 'skills' is invalid");
    assert.match(await said('', '--from', 'skill', '--category', 'codin'), 'Did you mean coding?');
    assert.match(await said('', '--from', 'skill', '--source', 'example.com'), 'Did you mean https://example.com?');
  });
});

test.run();
