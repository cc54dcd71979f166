/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of prompts.chat. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readPromptsChat } from '../../../src/content/import/sources.ts';
import { goodPrompt } from '../../support/good-agent.ts';
import { read, withImport } from '../../support/import.ts';

/** `catalog import`: texts of any size and from any system, and what a draft has in common with other agents. */

/** The texts of the prompts in a CSV that arrives in these parts. */
async function textsIn(...chunks: string[]): Promise<string[]> {
  async function* parts() {
    for (const chunk of chunks) yield Buffer.from(chunk, 'latin1');
  }
  const texts: string[] = [];
  for await (const found of readPromptsChat(parts())) texts.push('text' in found ? found.text : found.reason);
  return texts;
}

test('a character can be divided between two parts of a download', async () => {
  assert.equal(await textsIn('act,prompt\nA,caf\xc3', '\xa9\nB,b\n'), ['café', 'b']);
});

test('the line of a wrong character is counted from the start of the file', async () => {
  const error = await textsIn('act,prompt\nA,a\n', 'B,b\nC,c\n', 'D,\xe9\n').catch(({ message }) => message);
  assert.match(error, 'The CSV is not UTF-8 text: the first invalid character is on line 5 or after it.');
});

test('line endings of Windows and old Macs become LF, and spaces around a title are left out', async () => {
  await withImport(
    { 'a.csv': 'act,prompt\r\n" Stock, coding clerk ","Count.\r\nTwice.\rThen stop."\r\n' },
    async (run, folder) => {
      const { result } = await run('a.csv', '--from', 'prompts-chat');
      assert.equal(
        result.drafts.map(({ slug, title, where }) => [slug, title, where]),
        [['stock-coding-clerk', 'Stock, coding clerk', 'row 1 (line 2)']],
      );
      assert.ok(read(folder, 'stock-coding-clerk/prompt.txt').startsWith('Count.\nTwice.\nThen stop.\n\nINPUT\n'));
      // `coding` is the category.
      assert.match(read(folder, 'stock-coding-clerk/agent.md'), '\ntags: [stock, clerk]\n');
    },
  );
});

test('variables of prompts.chat become named inputs, and their default values say what is used without them', async () => {
  // packages/prompts.chat/src/variables/index.ts in f/prompts.chat: /\$\{([a-zA-Z_][a-zA-Z0-9_\s]*?)(?::([^}]*))?\}/
  const row =
    'Act as a ${Job Title: coder} of ${company_name}.\nAsk ${company_name} about ${points clés}.\n## OUTPUT EXAMPLE';
  await withImport({ 'a.csv': `act,prompt\nA,"${row}"\n` }, async (run, folder) => {
    const { result } = await run('a.csv', '--license', 'CC0-1.0');
    assert.equal(result.drafts[0]?.notes, [
      'Left in its text for you to replace: ${points clés}.',
      'It already has INPUT; write the others.',
    ]);
    const inputs =
      '- JOB TITLE (optional): the job title. Without it, use "coder".\n- COMPANY NAME (required): the company name\n';
    assert.match(
      read(folder, 'a/prompt.txt'),
      `Act as a JOB TITLE of COMPANY NAME.\nAsk COMPANY NAME about \${points clés}.\n\n ## OUTPUT EXAMPLE\n\nINPUT\n${inputs}`,
    );
  });
});

const sizes: [name: string, text: string, problem: string | null][] = [
  ['with its sections fits into a file', 'é'.repeat(130_000), null],
  ['only fits into a file without its sections', 'é'.repeat(131_000), 'It has more than 262144 bytes.'],
];
for (const [name, text, problem] of sizes) {
  test(`a prompt that ${name} is ${problem === null ? '' : 'not '}imported`, async () => {
    await withImport({ 'a.csv': `act,prompt\nA,${text}\n` }, async (run) => {
      const { result } = await run('a.csv', '--from', 'prompts-chat', '--dry-run');
      assert.equal([result.drafts.length, result.problems[0]?.problem ?? null], [problem === null ? 1 : 0, problem]);
    });
  });
}

test('a row with more than 256 KiB is an error, like a quote that is never closed', async () => {
  await withImport({ 'a.csv': `act,prompt\nA,a\nB,"${'x'.repeat(262_145)}"\n` }, async (run) => {
    const { code, stderr } = await run('a.csv', '--from', 'prompts-chat', '--dry-run');
    assert.is(code, 1);
    assert.match(stderr, /^error: Row 2 of the CSV, which starts in line 3, .* never closed, or more than 256 KiB\./);
  });
});

const words = (start: string, count: number) => Array.from({ length: count }, (_, at) => `${start}${at}`).join(' ');

test('a draft says how much of it an earlier agent or draft has, and which sections it has', async () => {
  const files = {
    // The prompt of the agent in the catalog.
    'a/SKILL.md': goodPrompt,
    'b/SKILL.md': words('b', 60),
    // 37 of its 59 runs of five words are in b: 41 words are the same, and the names of the sections end both.
    'c/SKILL.md': `${words('b', 41)} ${words('c', 19)}`,
  };
  await withImport(files, async (run) => {
    const { result } = await run('', '--from', 'skill', '--license', 'CC0-1.0', '--dry-run');
    const empty = 'It has no sections yet; write them.';
    assert.equal(
      result.drafts.map(({ slug, notes }) => [slug, ...notes]),
      [
        ['a', '100% of its prompt is also in one.'],
        ['b', empty],
        ['c', empty, '62% of its prompt is also in b.'],
      ],
    );
  });
});

test.run();
