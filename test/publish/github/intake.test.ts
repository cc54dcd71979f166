import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, smallSettings, writeCatalog, writeFiles } from '../../support/catalog.ts';
import { newDiscussion } from '../../support/forge-api.ts';
import { goodPrompt, goodSampleInput } from '../../support/good-agent.ts';
import { hostile } from '../../support/hostile-forms.ts';
import { assertHarmless, intake, submit, unescaped } from '../../support/intake.ts';
import { catalog } from '../../support/process.ts';
import { formPath, formText, goodAnswers, submitted } from '../../support/proposal.ts';
import { today } from '../../support/scaffold.ts';

/** The form "Propose an agent" becomes a draft, whatever its author writes into it. */

for (const [name, answers, slug] of [
  ['a form', {}, 'stock-list-checker'],
  [
    'a form whose notes look like outputs',
    { notes: '::set-output name=slug::x\nslug<<END\nx\nEND' },
    'stock-list-checker',
  ],
  ['a form with a problem', { category: 'END\nslug=x' }, ''],
] as const) {
  test(`the steps after ${name} get the slug of the draft, or none`, async () => {
    await inFolder(async (folder) => {
      const output = join(folder, 'output');
      const { code, stderr } = await intake(folder, submitted(answers), formText, [], { GITHUB_OUTPUT: output });
      assert.is(code, 0, stderr);
      const set = readFileSync(output, 'utf8').matchAll(/^(\w+)<<(.*)\n([\s\S]*?)\n\2$/gm);
      const outputs = Object.fromEntries([...set].map(([, key, , value]) => [key, value]));
      assert.equal(outputs, { today, proposal: 'true', slug });
    });
  });
}

test('a form becomes a draft that has its answers, a pull request, and an answer', async () => {
  const taken = await submit(submitted({ difficulty: 'hard', notes: 'Credit Ada, please.' }));
  assertHarmless(taken);
  const { files, comment, pull } = taken;
  const made = files['stock-list-checker/agent.md'] ?? '';
  for (const line of [
    'title: Stock List Checker',
    'date: 2026-11-22',
    'draft: true',
    'category: coding',
    'difficulty: hard',
    'runtimes: [Claude, ChatGPT]',
    `excerpt: ${goodAnswers.excerpt}`,
    `problem: ${goodAnswers.problem}`,
  ]) {
    assert.ok(made.split('\n').includes(line), `${line} in ${made}`);
  }
  assert.is(files['stock-list-checker/prompt.txt'], goodPrompt);
  assert.is(files['stock-list-checker/sample-input.txt'], goodSampleInput);
  assert.match(comment, 'A draft of your agent is in https://github.example/press/catalog/pull/100.');
  assert.match(comment, 'Your answers follow all rules that a program can check.');
  const { title, head, base, body } = pull as NonNullable<typeof pull>;
  assert.equal({ title, head, base }, { title: 'Draft: Stock List Checker', head: 'intake/7', base: 'main' });
  assert.match(body, 'Closes #7.');
  assert.match(body, '```text\nCredit Ada, please.\n```');
});

test('an edit brings the text of the pull request up to date, and keeps what reviewers ticked below it', async () => {
  const discussion = newDiscussion();
  const first = await submit(submitted({ excerpt: 'Finds rows.', notes: 'Credit Ada.' }), { discussion });
  const pull = first.pull as NonNullable<typeof first.pull>;
  assert.match(pull.body, /11 characters[\s\S]*Credit Ada\.[\s\S]*- \[ \] Checked$/);
  pull.body = pull.body.replace('- [ ]', '- [x]');
  await submit(submitted({ notes: 'Credit Bea.' }), { discussion });
  assert.match(pull.body, /^The draft of `agents\/stock-list-checker`[\s\S]*Credit Bea\.[\s\S]*- \[x\] Checked$/);
  assert.not.match(pull.body, /Credit Ada|11 characters/);
  const end = '<!-- daily-agent-catalog: the workflow writes what is above -->';
  for (const notes of [`${end} Credit Dan.`, 'Credit Eve.']) await submit(submitted({ notes }), { discussion });
  assert.match(pull.body, /Credit Eve\.[\s\S]*- \[x\] Checked$/);
  assert.not.match(pull.body, /Credit (?:Bea|Dan)/);
  pull.body = 'An editor wrote this.';
  await submit(submitted({ notes: 'Credit Cy.' }), { discussion });
  assert.is(pull.body, 'An editor wrote this.');
  // GitHub has no text for a body that somebody emptied.
  Object.assign(pull, { body: null });
  await submit(submitted({ notes: 'Credit Di.' }), { discussion });
  assert.is(pull.body, null);
  assert.is(discussion.pulls.length, 1);
});

test('a form that cannot become a draft yet gets all remarks at once', async () => {
  const prompt = goodPrompt.replaceAll('"', '”');
  const { files, comment } = await submit(
    submitted({ category: 'cooking', runtimes: 'Claude and ChatGPT', excerpt: 'Finds rows.', prompt }),
  );
  assert.equal(files, {});
  const shown = comment.replace(/\\(?=[^\w\s])/g, '');
  assert.match(
    shown,
    /Please fix this:\n\n- `Category` is "cooking".*\n- `Tried in` is "Claude and ChatGPT".*Claude.*\n\n/,
  );
  assert.match(shown, /This would make it better:\n\n[\s\S]*`What the reader gets` has 11 characters/);
  assert.match(shown, /curly quotes.*This applies to 6 lines/);
});

test('a form that cannot become a draft gets no remark of a rule that the catalog switched off', async () => {
  const settings = { rules: { 'editorial/excerpt': 'off' } };
  const { comment } = await submit(submitted({ category: 'astronomy', excerpt: 'Finds rows.' }), { settings });
  assert.match(
    comment,
    /`Category\\` is "astronomy"; .* Choose one of these\.\n/,
    'authors cannot change the settings',
  );
  assert.not.match(comment, 'What the reader gets');
});

for (const [name, answers, expected] of [
  ['a title without letters from a to z', { 'agent-title': '日本語' }, /^- [^\n]*, so change the title\.\n/],
  ['an empty title', { 'agent-title': '' }, /^- `Title` has no answer\.\n/],
  ['an empty problem', { problem: '' }, /^- `The problem` has no answer\.\n/],
  ['an empty prompt', { prompt: '' }, /^- `The prompt` has no answer\.\n/],
  ['a prompt of blank lines', { prompt: ' \n\n ' }, /^- `The prompt` has no answer\.\n/],
] as const) {
  test(`a form with ${name} is answered in the words of the form, and once`, async () => {
    const { files, comment } = await submit(submitted(answers));
    assert.equal(files, {});
    const [, said = ''] = unescaped(comment).split('Please fix this:\n\n');
    assert.match(said, expected);
    assert.is(said.match(/^- /gm)?.length, 1, said);
    assert.not.match(said, 'Give the slug');
  });
}

test('a draft that breaks editorial rules is kept, and its author reads which answers to improve', async () => {
  const prompt = goodPrompt.replace(/^5\. .*\n/m, '');
  const addresses = Array.from({ length: 700 }, (_, row) => `Row ${row}: TODO, ask jo@corp.com\n`).join('');
  const taken = await submit(submitted({ prompt, excerpt: 'Finds rows.', difficulty: '', 'sample-output': addresses }));
  assertHarmless(taken);
  assert.ok('stock-list-checker/prompt.txt' in taken.files);
  assert.match(taken.comment, /\n- …and \d+ more\.\n/);
  assert.match(taken.comment, /You can already make it better:\n\n/);
  assert.match(taken.comment, /^- \\`What the reader gets\\` has 11 characters/m);
  assert.match(taken.comment, /^- \\`The prompt\\`, line 8\\: No rule says/m);
  assert.match(taken.pull?.body ?? '', /`catalog validate` reports:\n\n- /);
});

for (const [name, answers, expected] of hostile) {
  test(`${name}: ${expected instanceof RegExp ? 'no draft, but a reason' : 'only a text of the draft'}`, async () => {
    const taken = await submit(submitted(answers));
    assertHarmless(taken);
    const { files, comment, pull } = taken;
    if (expected instanceof RegExp) {
      assert.equal(files, {});
      assert.is(pull, undefined);
      const shown = unescaped(comment);
      assert.match(shown, expected);
      assert.match(shown, 'Please fix this:');
    } else {
      const [file, line] = expected;
      assert.ok(files[file]?.split('\n').includes(line), `${line} in ${JSON.stringify(files)}`);
    }
  });
}

const heading = (label: string) => `### ${label}\r\n`;
for (const [name, change, expected] of [
  ['a missing heading', (body: string) => body.replace(heading('Sample input'), ''), /`### Sample input` is missing/],
  [
    'fields in another order',
    (body: string) =>
      body
        .replace(heading('Category'), '### x\r\n')
        .replace(heading('The problem'), heading('Category'))
        .replace('### x\r\n', heading('The problem')),
    /`### The problem` is missing/,
  ],
  [
    'a code block without an end',
    (body: string) => body.replace(/```(\r\n\r\n### Sample input)/, '$1'),
    /`### Sample input` is missing.*end the code block/,
  ],
  [
    'a code block that ends with more marks than it started with',
    (body: string) => body.replace(/```(\r\n\r\n### Sample input)/, '````$1'),
    /`The prompt` has lost its code block/,
  ],
  [
    'a code block without a start',
    (body: string) => body.replace('```text\r\n', ''),
    /`The prompt` has lost its code block/,
  ],
] as const) {
  test(`a form with ${name} is refused with a reason`, async () => {
    const { files, comment } = await submit(change(submitted()));
    assert.equal(files, {});
    assert.match(unescaped(comment), expected);
  });
}

test('the answer is updated also in a GitHub issue with more comments than the API returns at once', async () => {
  const discussion = newDiscussion();
  for (let id = 1; id <= 100; id += 1) discussion.comments.push({ id, issue: 7, body: 'Hi', user: { type: 'User' } });
  const answerTo = async (category: string) => {
    await submit(submitted({ category }), { discussion });
    const own = discussion.comments.filter(({ user }) => user.type === 'Bot');
    assert.is(own.length, 1);
    return own[0]?.body ?? '';
  };
  const kept = 'Your form is then checked again. Until then, the pull request keeps your previous answers.';
  assert.match(await answerTo('cooking'), /Your form is then checked again\.$/);
  assert.match(await answerTo('Writing'), 'A draft of your agent is in');
  assert.ok((await answerTo('cooking')).endsWith(kept));
});

test('a category may be given by its label, and assistants on lines of their own, in any case', async () => {
  const categories = { coding: smallSettings.categories.coding, writing: { label: 'Texts', description: 'Texts.' } };
  const answers = { category: ' TEXTS ', runtimes: 'chatgpt\nclaude' };
  const { files } = await submit(submitted(answers), { settings: { categories } });
  const made = (files['stock-list-checker/agent.md'] ?? '').split('\n');
  assert.ok(made.includes('category: writing') && made.includes('runtimes: [ChatGPT, Claude]'), made.join('\n'));
});

test('a GitHub issue that was not written with the form gets no answer', async () => {
  for (const body of ['', 'Please add an agent.', '### Agent\n\nrelease-notes', `Hello\n\n${submitted()}`]) {
    const { files, comment, said } = await submit(body);
    assert.equal({ files, comment }, { files: {}, comment: '' });
    assert.match(said, 'was not written with the form');
  }
});

test('a translated form works, and one without a field that agents need is reported', async () => {
  const form = formText.replace('label: The prompt', 'label: Der Prompt');
  assert.ok(
    'stock-list-checker/prompt.txt' in
      (await submit(submitted().replace('### The prompt', '### Der Prompt'), { form })).files,
  );
  await inFolder(async (folder) => {
    const event = { issue: { number: 7, body: '' }, repository: { default_branch: 'main' } };
    writeCatalog(folder, []);
    writeFiles(folder, { [formPath]: formText.replace('id: prompt', 'id: text'), 'event.json': JSON.stringify(event) });
    const run = (file: string) =>
      catalog(['ci', 'intake', '--cwd', folder], { env: { GITHUB_EVENT_PATH: join(folder, file) } });
    const { code, stderr } = await run('event.json');
    assert.is(code, 1);
    assert.match(stderr, `${formPath} has no field with the id prompt`);
    assert.match((await run('missing.json')).stderr, 'cannot be read');
    // Without the form, the catalog takes no proposals.
    rmSync(join(folder, formPath));
    assert.is((await run('event.json')).code, 0);
    writeFiles(folder, { [formPath]: 'body: [' });
    assert.match((await run('event.json')).stderr, `${formPath} cannot be read`);
    writeFiles(folder, { 'push.json': '{"ref":"refs/heads/main"}' });
    assert.match((await run('push.json')).stderr, 'is not about a GitHub issue');
  });
});

test.run();
