import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { snapshot, temporaryFolder, writeCatalog, writeFiles } from '../../support/catalog.ts';
import { casesFiles, hardInput } from '../../support/evals.ts';
import { goodPrompt, goodSampleInput } from '../../support/good-agent.ts';
import { says, startModelServer } from '../../support/model-server.ts';
import { bin, catalog, catalogProcess, inherited } from '../../support/process.ts';
import { leftOf, until, withTimeLimit } from '../../support/until.ts';

/** `catalog eval --record` with commands and people, runs that are killed, and wrong usage. */

let folder: ReturnType<typeof temporaryFolder>;
let recordings: string;
test.before.each(() => {
  folder = temporaryFolder();
  recordings = join(folder.path, 'agents/one/evals/recordings');
  writeCatalog(folder.path, [
    { slug: 'one', date: '2026-01-01', files: casesFiles },
    { slug: 'two', date: '2026-01-02' },
  ]);
});
test.after.each(() => folder.remove());

const args = (...more: string[]) => ['eval', '--record', '--cwd', folder.path, ...more];
/** Invented, and assembled at run time so that scanners do not report this file as a leak. */
const token = ['ghp', '16C7e42F292c6912E7710c838347Ae178B4a'].join('_');
const read = (path: string) => readFileSync(join(recordings, path), 'utf8');

test('gives the exact message to a command', async () => {
  const { code, stderr } = await catalog(args('--model', 'echo', '--command', 'cat'));
  assert.is(code, 0, stderr);
  assert.is(read('echo/sample.txt'), `${goodPrompt.trimEnd()}\n\n${goodSampleInput}`);
  const { made, tokens } = JSON.parse(read('echo/recording.json')).cases.sample;
  assert.equal({ made, tokens }, { made: 'command', tokens: undefined });
  writeFiles(join(folder.path, 'agents/one'), { 'evals/planted.txt': `${hardInput}More.\n` });
  const later = await catalog(args('--model', 'echo', '--command', 'cat'));
  assert.match(later.stderr, 'Out of date: 1 existing answer. To replace them, add --stale.\n');
});

test('asks as a person would without the prompt, and says so in recording.json', async () => {
  const ask = 'Is this list right?';
  const flags = ['--model', 'echo', '--command', 'cat', '--without-prompt'];
  const { code, stderr } = await catalog(args(...flags, '--ask', ask));
  assert.is(code, 0, stderr);
  assert.is(read('echo/sample.without-prompt.txt'), `${ask}\n\n${goodSampleInput}`);
  const control = () => JSON.parse(read('echo/recording.json')).cases.sample.withoutPrompt;
  assert.equal([control().model, control().ask], ['echo', ask]);
  const before = read('echo/recording.json');
  await catalog(args(...flags, '--force'));
  assert.is(read('echo/recording.json'), before);
  assert.is(read('echo/sample.without-prompt.txt'), `${ask}\n\n${goodSampleInput}`);
  assert.is(control().ask, ask);
});

for (const [command, message] of [
  ['echo first >&2; echo it broke >&2; exit 3', 'one, sample: The command failed (exit code 3): it broke\n'],
  [
    `echo wrong key ${token} >&2; exit 2`,
    `one, sample: The command failed (exit code 2): wrong key ghp_${'*'.repeat(36)}\n`,
  ],
  ['exit 1', 'one, sample: The command failed (exit code 1).\n'],
  ['kill -9 $$', 'one, sample: The command was killed.\n'],
  ['true', 'one, sample: The answer is empty, so it is not stored.\n'],
  ["printf '\\377'", 'one, sample: The output of the command is not UTF-8 text.\n'],
  ['yes', 'one, sample: The command printed more than 2097152 bytes.\n'],
] as const) {
  test(`reports the command ${command}`, async () => {
    const { code, stderr } = await catalog(args('--model', 'm', '--command', command, '--timeout', '60'));
    assert.is(code, 1);
    assert.ok(stderr.includes(message), stderr);
    assert.is(existsSync(recordings), false);
  });
}

test('a command that takes too long leaves no part of its pipeline running, which would go on costing money', async () => {
  const pids = join(folder.path, 'pids');
  const command = `sh -c 'echo $$ >> ${pids}; exec sleep 300' | sh -c 'echo $$ >> ${pids}; exec sleep 300'`;
  const isRunning = () => existsSync(pids) && readFileSync(pids, 'utf8').split('\n').length > 2;
  await withTimeLimit(async (_, expire) => {
    const flags = ['--concurrency', '1', '--timeout', '1'];
    const recording = catalog(args('--model', 'm', '--command', command, ...flags, 'one'));
    // It is asked for two answers, one after the other.
    let isOver = false;
    recording.finally(() => {
      isOver = true;
    });
    await until(() => {
      if (isRunning()) expire();
      return isOver;
    });
    const { code, stderr } = await recording;
    assert.is(code, 1);
    assert.match(stderr, 'one, sample: The command took more than 1 second.\n');
  }, 1_000);
  assert.equal(await leftOf(pids), []);
});

test('asks for no answer to an input alone that is blank, or whose answer with the prompt failed', async () => {
  writeFiles(join(folder.path, 'agents/one'), { 'evals/planted.txt': '\n' });
  const command = 'if grep -q lamp; then exit 3; fi; echo Odd';
  const { stderr } = await catalog(args('--model', 'm', '--command', command, '--without-prompt'));
  assert.equal(stderr.match(/one, sample: /g)?.length, 1, stderr);
  assert.equal(Object.keys(snapshot(recordings)), ['m/planted.txt', 'm/recording.json']);
});

test('prints one message a run to paste, and reads the answer', async () => {
  const paste = (input: string) =>
    catalogProcess(args('--model', 'Some Chat, free plan', '--paste', '--note', 'In a new chat.'), { input });
  const first = await paste('Odd: nothing\n');
  assert.is(first.code, 0, first.stderr);
  assert.is(first.stdout, `${goodPrompt.trimEnd()}\n\n${goodSampleInput}`);
  assert.match(
    first.stderr,
    'Recorded 1 answer. 0 existed already.\nStill missing: 1 answer. Run the command again.\n',
  );
  assert.is(read('some-chat-free-plan/sample.txt'), 'Odd: nothing\n');
  const { model, made, note } = JSON.parse(read('some-chat-free-plan/recording.json')).cases.sample;
  assert.equal({ model, made, note }, { model: 'Some Chat, free plan', made: 'pasted', note: 'In a new chat.' });
  const second = await paste('');
  assert.is(second.stdout, `${goodPrompt.trimEnd()}\n\n${hardInput}`);
  assert.match(second.stderr, 'one, planted: The answer is empty, so it is not stored.\n');
});

test('goes on where a killed run stopped', async () => {
  const server = await startModelServer();
  try {
    const options = ['--model', 'm', '--url', server.url, '--without-prompt', '--concurrency', '1'];
    server.answer = (response) => {
      if (server.asked.length === 3) child.kill('SIGKILL');
      else says(response, `Odd: ${server.asked.length}`);
    };
    const child = spawn(process.execPath, [bin, ...args(...options)], { env: inherited(), stdio: 'ignore' });
    await once(child, 'close');
    const before = snapshot(recordings);
    assert.equal(Object.keys(before), ['m/recording.json', 'm/sample.txt', 'm/sample.without-prompt.txt']);
    assert.is((await catalog(['validate', 'one', '--cwd', folder.path])).code, 0);

    const { code, stderr } = await catalog(args(...options));
    assert.is(code, 0, stderr);
    assert.match(stderr, 'Recorded 2 answers (22 tokens in, 14 out). 2 existed already.\n');
    const after = snapshot(recordings);
    assert.equal([after['m/sample.txt'], after['m/planted.txt']], ['Odd: 1', 'Odd: 4']);
  } finally {
    server.stop();
  }
});

test('refuses agents without cases, and files that lead elsewhere', async () => {
  const none = await catalog(args('--model', 'm', '--command', 'cat', 'two'));
  assert.equal([none.code, none.stderr.split('\n')[0]], [1, 'two: It has no evals/checks.yaml, so no cases.']);
  symlinkSync(folder.path, recordings);
  const linked = await catalog(args('--model', 'm', '--command', 'cat'));
  assert.is(linked.code, 1);
  assert.match(linked.stderr, 'one: Its files have errors. Run npx --no daily-agent-catalog validate one.\n');
  rmSync(recordings);
  writeFiles(join(folder.path, 'agents/one'), { 'evals/checks.yaml': 'sample: 1\n' });
  const broken = await catalog(args('--model', 'm', '--command', 'cat', '--format', 'json'));
  const failures = [
    { slug: 'one', case: null, message: 'Its files have errors. Run npx --no daily-agent-catalog validate one.' },
  ];
  assert.equal(JSON.parse(broken.stdout), {
    ...{ recorded: 0, kept: 0, stale: 0, left: 0, failures },
    tokens: { input: 0, output: 0 },
  });
});

for (const [flags, message] of [
  [[], '--record needs --model, the name of the model.'],
  [['--model', 'a\nb', '--command', 'cat'], '--model has to be one line of text'],
  [['--model', 'a\u001b[2Jb', '--command', 'cat'], 'This is the hidden character U+001B, a control character.'],
  [['--model', 'm', '--command', 'cat', '--note', `Key: ${'ghp_'}${'a1B2'.repeat(9)}`], 'looks like a GitHub token.'],
  [['--model', 'm', '--command', 'cat', '--ask', `Key: ${'ghp_'}${'a1B2'.repeat(9)}`], 'looks like a GitHub token.'],
  [['--model', 'm', '--command', 'cat', '--ask', 'Is it\ntrue?'], '--ask has to be one line of text'],
  [['--model', 'm', '--command', 'cat', '--ask', 'x'.repeat(501)], '--ask has to be text of 1 to 500 characters.'],
  [['--model', 'm', '--command', 'cat', '--paste'], 'Give only one of --command and --paste.'],
  [['--model', 'm', '--command', 'cat', '--setting', 'a=1'], '--setting is for APIs only.'],
  [['--model', 'm', '--paste', '--setting', 'a=1'], '--setting is for APIs only.'],
  [['--model', 'm', '--setting', 'a'], 'It must be written as name=value.'],
  [['--model', 'm', '--concurrency', '0'], 'It must be a whole number from 1 to 32.'],
  [['--model', 'm'], 'Set a key in CATALOG_EVAL_KEY or OPENAI_API_KEY, or use --url, --command or --paste.'],
  [['--model', 'm', '--api', 'anthropic'], 'Set a key in CATALOG_EVAL_KEY or ANTHROPIC_API_KEY, or'],
  [['--model', 'm', '--url', 'api.example.com'], '--url has to be an address such as https://api.example.com/v1.'],
  [['--model', 'm', '--url', 'https://example.com/v1#a'], '--url has to be an address such as'],
  [['--model', 'm', '--url', 'https://a:b@example.com'], '--url has a user name or password.'],
  [['--model', 'm', '--url', 'https://a@example.com'], '--url has a user name or password.'],
] as const) {
  test(`refuses ${flags.join(' ') || 'no model'}`, async () => {
    const { code, stderr } = await catalog(args(...flags));
    assert.is(code, 2, stderr);
    assert.ok(stderr.includes(message), stderr);
  });
}

test('refuses to send a key that others could read, and options without --record', async () => {
  const flags = ['--model', 'm', '--url', 'http://api.example.com'];
  const open = await catalog(args(...flags), { env: { CATALOG_EVAL_KEY: 'x' } });
  assert.equal(
    [open.code, open.stderr],
    [2, 'error: --url has to start with https, or the key in CATALOG_EVAL_KEY could be read on the way.\n'],
  );
  // A workflow passes a missing secret on as an empty variable.
  const wrong = await catalog(args('--model', 'm'), { env: { CATALOG_EVAL_KEY: '', OPENAI_API_KEY: 'a b\n' } });
  assert.equal([wrong.code, wrong.stderr], [2, 'error: The key has characters that no key can have. Copy it again.\n']);
  for (const option of ['--ask=Use x', '--note=x', '--setting=api_key=x']) {
    const { code, stderr } = await catalog(args('--model', 'm', option), { env: { CATALOG_EVAL_KEY: 'x' } });
    assert.equal([code, stderr.includes('is public, and it contains your key.')], [2, true], option);
  }
  const alone = await catalog(['eval', '--cwd', folder.path, '--model', 'm']);
  assert.equal([alone.code, alone.stderr], [2, 'error: --model needs --record or --export.\n']);
});

test('a key goes to this machine without https, and to no other that is called similarly', async () => {
  const gone = await startModelServer();
  gone.stop();
  const { port } = new URL(gone.url);
  for (const [host, mayGo] of [
    ['localhost', true],
    ['127.0.0.2', true],
    ['[::1]', true],
    ['localhost.example.com', false],
    ['127.0.0.1.example.com', false],
  ] as const) {
    const env = { CATALOG_EVAL_KEY: 'x' };
    const { stderr } = await catalog(args('--model', 'm', '--url', `http://${host}:${port}/v1`), { env });
    assert.match(stderr, mayGo ? 'cannot be reached' : '--url has to start with https', host);
  }
});

test.run();
