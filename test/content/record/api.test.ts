import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sha256Of } from '../../../src/lib/files.ts';
import { atTime } from '../../support/at-time.ts';
import { snapshot, temporaryFolder, writeCatalog, writeFiles } from '../../support/catalog.ts';
import { casesFiles, hardInput } from '../../support/evals.ts';
import { goodPrompt, goodSampleInput } from '../../support/good-agent.ts';
import { loud } from '../../support/loud.ts';
import { type Asked, json, type ModelServer, says, startModelServer } from '../../support/model-server.ts';
import { catalog } from '../../support/process.ts';
import { until } from '../../support/until.ts';

/** `catalog eval --record` with imitations of the APIs of OpenAI and Anthropic. */

const key = 'key-of-the-test-0123456789';
const messages = [`${goodPrompt.trimEnd()}\n\n${hardInput}`, `${goodPrompt.trimEnd()}\n\n${goodSampleInput}`];

let model: ModelServer;
let folder: ReturnType<typeof temporaryFolder>;
test.before(
  loud(async () => {
    model = await startModelServer();
  }),
);
test.after(() => model.stop());
test.before.each(() => {
  folder = temporaryFolder();
  writeCatalog(folder.path, [{ slug: 'one', date: '2026-01-01', files: casesFiles }]);
  model.asked.length = 0;
  model.answer = (response) => says(response, 'Rows: 5 read\nOdd: nothing\n');
});
test.after.each(() => folder.remove());

const recordWith = (...args: string[]) =>
  catalog(['eval', '--record', '--cwd', folder.path, '--url', model.url, '--model', 'Org/Model:1b', ...args], {
    env: { CATALOG_EVAL_KEY: ` ${key}\n` },
  });

/** The recorded files, by their paths in the folder of the model. */
const recorded = (name = 'org-model-1b') =>
  Object.fromEntries(
    Object.entries(snapshot(join(folder.path, 'agents/one')))
      .filter(([path]) => path.startsWith(`evals/recordings/${name}/`))
      .map(([path, text]) => [path.split('/').at(-1), text]),
  );
const entries = () => JSON.parse(recorded()['recording.json'] ?? '').cases;

test("records the answers of an API like OpenAI's", async () => {
  model.answer = (response) => says(response, 'Odd: nothing\r\nno end', { model: 'model-1b-2026' });
  const given = ['temperature=0', 'seed=007', 'presence_penalty=-0.5', 'logprobs=true'];
  const { code, stdout, stderr } = await atTime(Date.parse('2026-11-22T23:59:59Z'), () =>
    recordWith(...given.flatMap((each) => ['--setting', each])),
  );
  assert.is(code, 0, stderr);
  assert.is(stdout, '');
  assert.is(stderr.split('\r\u001b[K').at(-1), 'Recorded 2 answers (22 tokens in, 14 out). 0 existed already.\n');
  assert.equal(model.asked.map(({ message }) => message).sort(), messages.sort());
  const settings = { temperature: 0, seed: '007', presence_penalty: -0.5, logprobs: true };
  const { path, headers, body } = model.asked[0] as Asked;
  assert.is(path, '/v1/chat/completions');
  assert.is(headers.authorization, `Bearer ${key}`);
  assert.equal({ ...body, messages: '' }, { ...settings, model: 'Org/Model:1b', messages: '' }, 'no other fields');
  const files = recorded();
  assert.is(files['sample.txt'], 'Odd: nothing\nno end');
  const about = {
    model: 'Org/Model:1b',
    date: '2026-11-22',
    made: 'api',
    note: 'The service names the model model-1b-2026.',
    settings,
    tokens: { input: 11, output: 7 },
    promptSha256: sha256Of(goodPrompt),
  };
  assert.equal(entries(), {
    planted: { ...about, inputSha256: sha256Of(hardInput) },
    sample: { ...about, inputSha256: sha256Of(goodSampleInput) },
  });
  assert.not.match(JSON.stringify(snapshot(folder.path)), key);
  const validated = await catalog(['validate', '--cwd', folder.path]);
  assert.is(validated.code, 0, validated.stdout);
});

test('keeps the dated version next to --note, unless they are too long together', async () => {
  model.answer = (response) => says(response, 'Odd: nothing', { model: 'model-1b-2026' });
  for (const [given, stored] of [
    ['In the evening.', 'The service names the model model-1b-2026. In the evening.'],
    ['x'.repeat(490), 'x'.repeat(490)],
  ] as const) {
    const { code, stderr } = await recordWith('--note', given, '--force');
    assert.is(code, 0, stderr);
    assert.is(entries().sample.note, stored);
  }
});

test('records the answers of the API of Anthropic', async () => {
  model.answer = (response) =>
    json(response, 200, {
      content: [
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text: 'Odd: ' },
        { type: 'text', text: 'rope' },
      ],
      stop_reason: 'end_turn',
      model: 'Org/Model:1b',
      usage: { input_tokens: 3, output_tokens: 2 },
    });
  const { code, stderr } = await recordWith('--api', 'anthropic', '--note', 'In the evening.');
  assert.is(code, 0, stderr);
  assert.is(recorded()['sample.txt'], 'Odd: rope');
  const { tokens, note, settings } = entries().sample;
  assert.equal(
    { tokens, note, settings },
    { tokens: { input: 3, output: 2 }, note: 'In the evening.', settings: undefined },
  );
  const { path, headers, body } = model.asked[0] as Asked;
  assert.is(path, '/v1/messages');
  assert.equal([headers['x-api-key'], headers['anthropic-version']], [key, '2023-06-01']);
  assert.equal({ ...body, messages: '' }, { max_tokens: 8192, model: 'Org/Model:1b', messages: '' });

  // platform.claude.com/docs/en/build-with-claude/handling-stop-reasons: the responses are incomplete.
  for (const [stop_reason, message] of [
    ['max_tokens', 'The answer was cut off at the limit of tokens.'],
    ['model_context_window_exceeded', 'The answer was cut off at the limit of tokens.'],
    ['refusal', 'The service stopped the answer (refusal), so it is not stored.'],
  ] as const) {
    model.answer = (response) => json(response, 200, { content: [{ text: 'Od' }], stop_reason });
    const short = await recordWith('--api', 'anthropic', '--force', '--setting', 'max_tokens=9');
    assert.ok(short.stderr.includes(`one, sample: ${message}`), short.stderr);
  }
  assert.is(model.asked.at(-1)?.body.max_tokens, 9);
  assert.is(recorded()['sample.txt'], 'Odd: rope');
});

test('records what the model says to the input alone', async () => {
  const usage = { prompt_tokens: 1, completion_tokens: 1 };
  model.answer = (response, { message }) =>
    messages.includes(message) ? says(response, 'Odd: nothing') : says(response, 'Looks good.', { usage });
  const { stderr } = await recordWith('--without-prompt');
  assert.match(stderr, 'Recorded 4 answers');
  assert.equal(
    model.asked
      .map(({ message }) => message)
      .filter((message) => !messages.includes(message))
      .sort(),
    [goodSampleInput, hardInput].sort(),
  );
  const { 'recording.json': _, ...answers } = recorded();
  assert.equal(answers, {
    'planted.txt': 'Odd: nothing',
    'planted.without-prompt.txt': 'Looks good.',
    'sample.txt': 'Odd: nothing',
    'sample.without-prompt.txt': 'Looks good.',
  });
  assert.equal(Object.keys(entries()), ['planted', 'sample']);
  assert.equal(entries().sample.tokens, { input: 11, output: 7 }, 'of the answer with the prompt');
});

test('asks only for what is missing, and replaces answers only if it is told to', async () => {
  await recordWith('--without-prompt');
  const before = recorded();
  model.answer = (response) => says(response, 'Odd: new');
  model.asked.length = 0;
  const again = await recordWith();
  assert.equal([again.code, model.asked.length, recorded()], [0, 0, before]);
  assert.match(again.stderr, 'Recorded 0 answers. 4 existed already.\n');

  const prompt = goodPrompt.replace('once and count', 'once, and count');
  writeFiles(join(folder.path, 'agents/one'), { 'prompt.txt': prompt, 'evals/planted.txt': `${hardInput}More.\n` });
  const stale = await recordWith();
  assert.equal([model.asked.length, recorded()], [0, before]);
  assert.match(stale.stderr, 'Out of date: 3 existing answers. To replace them, add --stale.\n');

  await recordWith('--stale', '--concurrency', '1');
  // The answer without the prompt does not depend on the prompt. It comes first, so that a stop cannot make it look new.
  const planted = `${hardInput}More.\n`;
  assert.equal(
    model.asked.map(({ message }) => message),
    [`${prompt.trimEnd()}\n\n${goodSampleInput}`, planted, `${prompt.trimEnd()}\n\n${planted}`],
  );
  assert.is(recorded()['sample.without-prompt.txt'], before['sample.without-prompt.txt']);
  assert.is(recorded()['planted.without-prompt.txt'], 'Odd: new');
  assert.is(entries().sample.promptSha256, sha256Of(prompt));
  assert.match((await recordWith()).stderr, 'Recorded 0 answers. 4 existed already.\n');

  model.asked.length = 0;
  await recordWith('--force', '--stale');
  assert.is(model.asked.length, 4);
});

test('repeats a request that failed for the moment, and waits as long as the service asks', async () => {
  const answers = [0, 429, 500, 503, 200, 408];
  model.answer = (response) => {
    const status = answers.shift();
    if (status === 0) response.destroy();
    else if (status === undefined || status === 200) says(response, 'Odd: nothing');
    else json(response, status, {}, { 'retry-after': '0' });
  };
  const { code } = await recordWith('--concurrency', '1');
  assert.equal([code, model.asked.length], [0, 7]);
});

test('asks for several answers at a time', async () => {
  let open = 0;
  model.answer = async (response) => {
    open += 1;
    await until(() => open === 2);
    says(response, 'Odd: nothing');
  };
  assert.is((await recordWith('--concurrency', '2')).code, 0);
});

test('keeps the answers of models apart whose names give the same folder', async () => {
  await recordWith();
  const other = await catalog([
    'eval',
    '--record',
    '--cwd',
    folder.path,
    '--url',
    model.url,
    '--model',
    'org-model:1b',
  ]);
  assert.is(other.code, 1);
  assert.match(other.stderr, 'one: evals/recordings/org-model-1b has answers of Org/Model:1b.');
  assert.is(entries().sample.model, 'Org/Model:1b');
});

test('sends no key where none is needed, and no key of another service', async () => {
  const env = { OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key };
  const args = ['eval', '--record', '--cwd', folder.path, '--url', `${model.url}/`, '--model', 'local'];
  assert.is((await catalog(args, { env })).code, 0);
  assert.equal(
    model.asked.map(({ path, headers }) => [path, headers.authorization]),
    [
      ['/v1/chat/completions', undefined],
      ['/v1/chat/completions', undefined],
    ],
  );
});

test('leaves a recording.json with errors as it is', async () => {
  writeFiles(join(folder.path, 'agents/one/evals/recordings/org-model-1b'), { 'recording.json': '{"cases": 1}' });
  const { code, stderr } = await recordWith();
  assert.is(code, 1);
  assert.match(
    stderr,
    'agents/one/evals/recordings/org-model-1b/recording.json has errors. Run npx --no daily-agent-catalog validate.',
  );
  assert.equal(
    [
      model.asked.length,
      readFileSync(join(folder.path, 'agents/one/evals/recordings/org-model-1b/recording.json'), 'utf8'),
    ],
    [0, '{"cases": 1}'],
  );
});
test.run();
