/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of Copilot. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inputGuidance, outputGuidance, read, rulesGuidance, withImport } from '../../support/import.ts';

/** `catalog import`: which files each format has, and what is read in them. */

const noLicense =
  'It names no license, so it has to stay a draft. If its author allows one of CC-BY-4.0, CC0-1.0, 0BSD, MIT-0, Unlicense, write that to `license` in its agent.md.';

const fabric = `# IDENTITY and PURPOSE

You count stock.

# STEPS

- Count.

# OUTPUT FORMAT

# OUTPUT SECTIONS

One line: COUNT.

# OUTPUT INSTRUCTIONS

- Write Markdown.

# INPUT

INPUT:
`;

const fileRows: [
  name: string,
  format: string,
  path: string,
  file: string,
  text: string,
  expected: object,
  prompt: string,
][] = [
  [
    'a skill',
    'skill',
    '',
    'skills/stock-check/SKILL.md',
    '---\nname: stock-check\ndescription: |\n  Checks a stock list.\n  Use when counting.\nlicense: MIT\nallowed-tools: Read\n---\n# Stock check\n\nDo it.\n\n## Input\n\nA list.\n\n### Form\n\nCSV.\n\n## Notes\n\nNone.\n',
    {
      slug: 'stock-check',
      where: 'in/skills/stock-check/SKILL.md',
      license: 'MIT',
      publishable: false,
      notes: [
        'Not imported: allowed-tools.',
        'Not imported: the file scripts next to it.',
        'It already has INPUT; write the others.',
        'Its license (MIT) does not allow publication under CC BY 4.0, so it has to stay a draft.',
      ],
    },
    `# Stock check\n\nDo it.\n\n## Notes\n\nNone.\n\nINPUT\nA list.\n\n### Form\n\nCSV.\n\nRULES\n${rulesGuidance}\n\nOUTPUT\n${outputGuidance}\n`,
  ],
  [
    'a pattern of fabric',
    'fabric',
    '',
    'patterns/count_stock/system.md',
    fabric,
    { slug: 'count-stock', where: 'in/patterns/count_stock/system.md' },
    `# IDENTITY and PURPOSE\n\nYou count stock.\n\n# STEPS\n\n- Count.\n\nINPUT\n${inputGuidance}\n\nRULES\n${rulesGuidance}\n\nOUTPUT\nOutput sections:\n\nOne line: COUNT.\n\nOutput instructions:\n\n- Write Markdown.\n`,
  ],
  [
    'a prompt file of Copilot',
    'copilot',
    'prompts/review-stock.prompt.md',
    'prompts/review-stock.prompt.md',
    "---\nagent: agent\ndescription: 'Reviews stock'\ntools: ['codebase']\n---\r\nReview ${input:list}.\r\n\r\nRULES\r\n1. Count.\r\n",
    {
      slug: 'review-stock',
      where: 'prompts/review-stock.prompt.md',
      notes: ['Not imported: agent, tools.', 'It already has INPUT and RULES; write the others.', noLicense],
    },
    `Review LIST.\n\nINPUT\n- LIST (required): the list\n\nRULES\n1. Count.\n\nOUTPUT\n${outputGuidance}\n`,
  ],
  [
    'a subagent of Claude Code, whose description is not YAML',
    'claude-agent',
    '',
    '.claude/agents/stock.md',
    '---\nname: stock-keeper\ndescription: Use it: always\nmodel: opus\n---\nYou keep stock.\n\n```\nINPUT\n',
    {
      slug: 'stock-keeper',
      where: 'in/.claude/agents/stock.md',
      notes: [
        'Line 3 of its front matter was not read: This text has a colon and a space, which YAML takes for another key.',
        'Not imported: model.',
        'It has no sections yet; write them.',
        noLicense,
      ],
    },
    `You keep stock.\n\n\`\`\`\nINPUT\n\`\`\`\n\nINPUT\n${inputGuidance}\n\nRULES\n${rulesGuidance}\n\nOUTPUT\n${outputGuidance}\n`,
  ],
];

for (const [name, format, path, file, text, expected, prompt] of fileRows) {
  test(`${name} becomes a draft`, async () => {
    await withImport(
      { [file]: text, 'skills/stock-check/scripts/run.sh': 'x\n', 'README.md': '# No prompt\n' },
      async (run, folder) => {
        const { code, result } = await run(path, '--from', format);
        assert.is(code, 0);
        assert.is(result.drafts.length, 1);
        const [draft] = result.drafts;
        assert.equal(Object.fromEntries(Object.keys(expected).map((key) => [key, draft?.[key as 'slug']])), expected);
        assert.is(read(folder, `${draft?.slug}/prompt.txt`), prompt);
        assert.is(
          read(folder, `${draft?.slug}/agent.md`).includes('Checks a stock list. Use when counting.'),
          format === 'skill',
        );
      },
    );
  });
}

test('an editor who names no format loses nothing: each file is read as what it is, and what cannot be mapped is named', async () => {
  const files = {
    '.cursor/rules/style.mdc':
      '---\ndescription: Keeps the style\nglobs: *.ts,*.tsx\nalwaysApply: false\n---\nKeep the style.\n',
    'ask.prompt.md':
      'Fix ${input:bugReport:the report, whole} of ${input:input} in ${selection}; see ${input:bugReport}.\n',
    'notes/poem.txt': 'Write a poem.\n',
    'notes/rhyme.md': '# Rhyme\n\nWrite a rhyme.\n',
    'README.md': '# No prompt\n',
    'skills/count/SKILL.md': '---\nname: count\ndescription: Counts.\n---\nCount.\n',
    'skills/count/references/sample.md': 'A sample.\n',
  };
  await withImport(files, async (run, folder) => {
    const { code, result } = await run('', '--license', 'CC0-1.0');
    assert.is(code, 0);
    const none = 'It has no sections yet; write them.';
    assert.equal(
      result.drafts.map(({ slug, notes }) => [slug, ...notes]),
      [
        ['style', 'Not imported: globs, alwaysApply.', none],
        ['ask', 'Left in its text for you to replace: ${selection}.', 'It already has INPUT; write the others.'],
        ['poem', none],
        ['rhyme', none],
        ['count', 'Not imported: the file references next to it.', none],
      ],
    );
    assert.match(
      read(folder, 'ask/prompt.txt'),
      'Fix BUG REPORT of TEXT in ${selection}; see BUG REPORT.\n\nINPUT\n- BUG REPORT (required): the report, whole\n- TEXT (required): the text\n\nRULES\n',
    );
  });
});

test('a prompt file says which settings and files are not imported, and keeps its license and all its sections', async () => {
  const keys = ['tools', 'allowed-tools', 'model', 'agent', 'mode', 'mcp-servers', 'hooks'];
  const front = `---\nlicense: CC0-1.0\ndescription: ${'x'.repeat(301)}\n${keys.map((key) => `${key}: x\n`).join('')}---\n`;
  const sections = '# Input\nA list.\n# Rules\n1. Count.\n# Output\nA number.\n';
  const notes = [`Not imported: description, ${keys.join(', ')}.`];
  const beside = { '.DS_Store': 'x', 'b.md': 'x\n', 'a.md': 'x\n' };
  const rows: [format: string, file: string, notes: string[]][] = [
    ['skill', 'SKILL.md', [...notes, 'Not imported: the files a.md, b.md next to it.']],
    ['fabric', 'system.md', [...notes, 'Not imported: the files a.md, b.md next to it.']],
    ['copilot', 'x.agent.md', notes],
  ];
  for (const [format, file, expected] of rows) {
    const files = { [`x/${file}`]: front + sections };
    for (const [name, text] of Object.entries(beside)) Object.assign(files, { [`x/${name}`]: text });
    await withImport(files, async (run, folder) => {
      const { result } = await run('', '--from', format, '--license', 'MIT');
      assert.equal(
        result.drafts.map(({ slug, license, publishable, notes }) => [slug, license, publishable, notes]),
        [['x', 'CC0-1.0', true, expected]],
      );
      assert.is(read(folder, 'x/prompt.txt'), 'INPUT\nA list.\n\nRULES\n1. Count.\n\nOUTPUT\nA number.\n');
      assert.not.match(read(folder, 'x/agent.md'), 'xxx');
    });
  }
});

test('an editor reads once that front matter is broken, and in which line of a file an error is', async () => {
  const broken = 'name: count\ndescription: Use it: always\n\nuser: "Count."\nassistant\nuser: "Sum."\nuser: x\n';
  const files = {
    'a.md': `---\n${broken}---\nCount.\n`,
    'b.md': '---\nname: b\ndescription:\n---\n\n# Output\nA number.\n\n# Steps\nAdd\u200B it.\n',
    'c.md': '---\nname: C# Review\ntitle: ""\n---\nRead.\n',
    'd.md': '---\nname: C++ Review\n---\nRead.\n',
  };
  await withImport(files, async (run) => {
    const { result } = await run('', '--license', 'CC0-1.0');
    const none = 'It has no sections yet; write them.';
    const unread = 'This text has a colon and a space, which YAML takes for another key.';
    assert.equal(
      result.drafts.map(({ slug, title, notes }) => [slug, title, ...notes]),
      [
        [
          ...['count', 'Count', `Line 3 of its front matter and 3 more were not read: ${unread}`],
          ...['Not imported: user.', none],
        ],
        ['c-review', 'C Review', none],
      ],
    );
    assert.equal(
      result.problems.map(({ where, problem }) => `${where}: ${problem}`.slice(0, 60)),
      [
        'in/b.md: Line 10: This is the hidden character U+200B, a zer',
        'in/d.md: It has the same slug as in/c.md: c-review. Rename o',
      ],
    );
  });
});

const files: [name: string, file: string, bytes: Uint8Array, problem: string][] = [
  ['not UTF-8', 'a/SKILL.md', Buffer.from('é', 'latin1'), 'It is not UTF-8 text.'],
  ['not text', 'a/SKILL.md', Buffer.from('a\0b'), 'It is not UTF-8 text.'],
  ['too large', 'a/SKILL.md', Buffer.alloc(262_145, 'a'), 'It has 262145 bytes; at most 262144 are allowed.'],
  ['not front matter', 'a/SKILL.md', Buffer.from('---\nname: a\n'), 'The front matter is'],
];
test('a byte-order mark before the front matter of a prompt file is left out', async () => {
  const skill = '\uFEFF---\nname: stock\nlicense: CC0-1.0\n---\nCount.\n';
  await withImport({ 'a/SKILL.md': skill }, async (run, folder) => {
    const { result } = await run('', '--from', 'skill');
    assert.equal(
      result.drafts.map(({ slug, license }) => [slug, license]),
      [['stock', 'CC0-1.0']],
    );
    assert.ok(read(folder, 'stock/prompt.txt').startsWith('Count.\n'));
  });
});

test('a Markdown file without front matter is no subagent', async () => {
  await withImport({ 'a.md': '# Notes\n', 'b.md': '---\nname: b\n---\nDo b.\n' }, async (run) => {
    const { result } = await run('', '--from', 'claude-agent');
    assert.equal(
      result.problems.map(({ where, problem }) => `${where}: ${problem}`),
      ['in/a.md: It has no front matter, so it is not a subagent.'],
    );
    assert.is(result.drafts[0]?.slug, 'b');
  });
});

for (const [name, file, bytes, problem] of files) {
  test(`a file that is ${name} is not imported`, async () => {
    await withImport({ [file]: bytes, 'b/SKILL.md': 'Do b.\n' }, async (run) => {
      const { code, result } = await run('', '--from', 'skill');
      assert.is(code, 1);
      assert.equal(
        result.drafts.map(({ slug }) => slug),
        ['b'],
      );
      assert.equal(
        result.problems.map((each) => each.where),
        ['in/a/SKILL.md'],
      );
      assert.ok(result.problems[0]?.problem.startsWith(problem), result.problems[0]?.problem);
    });
  });
}

test.run();
