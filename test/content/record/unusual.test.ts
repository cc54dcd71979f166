import fs, { existsSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import timers from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { NoAnswer, openModel, record } from '../../../src/content/evals/record.ts';
import { checkContent } from '../../../src/content/load.ts';
import type { ParsedFolder } from '../../../src/content/parse/parse.ts';
import { readAgents } from '../../../src/content/read.ts';
import { loadSettings } from '../../../src/content/settings.ts';
import { inFolder, snapshot, writeCatalog, writeFiles } from '../../support/catalog.ts';
import { casesFiles } from '../../support/evals.ts';
import { leftOf, soon, until, withTimeLimit } from '../../support/until.ts';

/** Unusual answers of services, failures that pass, and several answers at a time. */

const key = 'key-of-the-test-0123456789';

type Model = Parameters<typeof record>[1];
type Api = Parameters<typeof openModel>[1]['api'];

interface Asked {
  /** What the model replied; its error if there is no answer. */
  reply: unknown;
  /** The pauses before repeated requests, in milliseconds. */
  pauses: number[];
  bodies: Record<string, unknown>[];
}

/** Asks a model whose service gives `answers` in order, the last one again and again, without waiting. */
async function ask(api: Api, answers: (() => Response)[], setting?: Record<string, string>): Promise<Asked> {
  const own = { fetch: globalThis.fetch, random: Math.random, wait: timers.setTimeout };
  const [pauses, bodies]: [number[], Asked['bodies']] = [[], []];
  globalThis.fetch = async (_url, init) => {
    bodies.push(JSON.parse(String(init?.body)));
    return (answers[Math.min(bodies.length, answers.length) - 1] as () => Response)();
  };
  Math.random = () => 0.5;
  timers.setTimeout = (async (ms: number) => void pauses.push(ms)) as unknown as typeof timers.setTimeout;
  syncBuiltinESMExports();
  try {
    const reply = await openModel('m', { api, setting, timeout: 600 }, { CATALOG_EVAL_KEY: key })
      .ask('Hello')
      .catch((error) => error);
    return { reply, pauses, bodies };
  } finally {
    globalThis.fetch = own.fetch;
    Math.random = own.random;
    timers.setTimeout = own.wait;
    syncBuiltinESMExports();
  }
}

const openai = (change: object) => () =>
  Response.json({ choices: [{ message: { content: 'Odd' } }], model: 'm-2026', ...change });
const anthropic = (change: object) => () => Response.json({ content: [{ text: 'Odd' }], model: 'm-2026', ...change });
const note = 'The service names the model m-2026.';

const unusual: [name: string, api: Api, answer: () => Response, reply: object][] = [
  ['no count of tokens', 'openai', openai({}), { tokens: undefined, note }],
  ['counts that are no numbers', 'openai', openai({ usage: { prompt_tokens: 'x' } }), { tokens: undefined, note }],
  ['counts of another form', 'anthropic', anthropic({ usage: 'many' }), { tokens: undefined, note }],
  [
    'several answers',
    'openai',
    openai({ choices: [{ message: { content: 'Odd' } }, {}] }),
    { tokens: undefined, note },
  ],
  [
    // docs.mistral.ai: models that reason answer in chunks.
    'thoughts before it',
    'openai',
    openai({ choices: [{ message: { content: [{ thinking: [{ text: 'Hm' }] }, { type: 'text', text: 'Odd' }] } }] }),
    { tokens: undefined, note },
  ],
  ['no model', 'openai', openai({ model: null }), { tokens: undefined }],
  ['a model of two lines', 'openai', openai({ model: 'm\n2' }), { tokens: undefined }],
  ['a model with a long name', 'anthropic', anthropic({ model: 'm'.repeat(101) }), { tokens: undefined }],
];
for (const [name, api, answer, facts] of unusual) {
  test(`an answer with ${name} can be stored`, async () => {
    assert.equal((await ask(api, [answer])).reply, { text: 'Odd', ...facts });
  });
}

const fails = (code: string) => () => {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error('In words.'), { code }) });
};
const unreachable = 'https://api.openai.com/v1/chat/completions cannot be reached';
const failures: [name: string, answer: () => Response, message: string, isFinal: boolean][] = [
  ['an unknown host', fails('ENOTFOUND'), `${unreachable} (ENOTFOUND).`, true],
  ['a host that is unknown for the moment', fails('EAI_AGAIN'), `${unreachable} (EAI_AGAIN).`, true],
  ['a service that is silent', fails('UND_ERR_HEADERS_TIMEOUT'), 'There was no complete answer within 300 s', false],
  [
    'an error that repeats the key, at length',
    () => Response.json({ error: { message: `${key} is not ${key}.${'x'.repeat(400)}` } }, { status: 400 }),
    `The service answered 400. It says: … is not ….${'x'.repeat(289)}`,
    false,
  ],
];
for (const [name, answer, message, isFinal] of failures) {
  test(`reports ${name}`, async () => {
    const { reply } = await ask('openai', [answer]);
    assert.instance(reply, NoAnswer);
    assert.ok((reply as NoAnswer).message.startsWith(message), (reply as NoAnswer).message);
    assert.is((reply as NoAnswer).message.length < 340, true);
    assert.is((reply as NoAnswer).isFinal, isFinal);
  });
}

test('waits twice as long before each repeated request, and gives up after four', async () => {
  const { reply, pauses } = await ask('openai', [fails('ECONNRESET')]);
  assert.is((reply as NoAnswer).message, 'The connection broke 5 times (ECONNRESET).');
  assert.equal(pauses, [1_500, 3_000, 6_000, 12_000]);
});

test('waits as long as the service asks, up to two minutes', async () => {
  const busy = (seconds: number) => () => Response.json({}, { status: 429, headers: { 'retry-after': `${seconds}` } });
  const { reply, pauses } = await ask('openai', [busy(120), busy(7), openai({ model: 'm' })]);
  assert.equal([reply, pauses], [{ text: 'Odd', tokens: undefined }, [120_000, 7_000]]);
  const refused = await ask('openai', [busy(121)]);
  assert.equal([refused.bodies.length, refused.pauses], [1, []]);
});

test('a setting can replace neither the model nor the message', async () => {
  const { bodies } = await ask('openai', [openai({})], { model: 'other', messages: 'none', seed: 'x' });
  assert.equal(bodies, [{ seed: 'x', model: 'm', messages: [{ role: 'user', content: 'Hello' }] }]);
});

/** Records the answers of two agents, each with two cases, and returns the results. */
async function recordIn(folder: string, model: Model, change: Partial<Parameters<typeof record>[2]> = {}) {
  const today = '2026-11-22';
  const settings = loadSettings(folder, {}, {});
  const sources = readAgents(folder);
  const { folders } = checkContent(sources, settings, today);
  const agents = sources.map((source, index) => ({ ...(folders[index] as ParsedFolder), source }));
  const shown: string[] = [];
  const outcome = await record(agents, model, {
    ...{ cwd: folder, settings, today, withoutPrompt: false, replace: 'none', concurrency: 1, about: {} },
    most: Number.POSITIVE_INFINITY,
    changing: async (write) => write(),
    onProgress: (_task, done, total) => shown.push(`${done} of ${total}`),
    ...change,
  });
  return { ...outcome, shown };
}

/** A model that answers the questions in turn, each with a text or an error. */
const modelOf = (...answers: (string | Error)[]): Model => ({
  ...{ name: 'm', made: 'api' },
  async ask() {
    const answer = answers.shift() ?? 'Odd: nothing\n';
    // A failure comes after the failures of earlier questions.
    for (let turn = answers.length; turn < 9; turn += 1) await Promise.resolve();
    if (answer instanceof Error) throw answer;
    return { text: answer, tokens: { input: 5, output: 3 } };
  },
});

const inCatalog = (use: (folder: string) => Promise<void>) =>
  inFolder((folder) => {
    const slugs = ['one', 'two'];
    writeCatalog(
      folder,
      slugs.map((slug, index) => ({ slug, date: `2026-01-0${index + 1}`, files: casesFiles })),
    );
    return use(folder);
  });

test('the progress counts failures, and no more answers than are asked for', () =>
  inCatalog(async (folder) => {
    const all = await recordIn(folder, modelOf('Odd', new NoAnswer('Not now.')));
    assert.equal(all.shown, ['0 of 4', '1 of 4', '3 of 4', '4 of 4']);
    assert.equal([all.recorded, all.left, all.failures.length], [3, 0, 1]);
    const again = await recordIn(folder, modelOf(), { replace: 'all', most: 2 });
    assert.equal(again.shown, ['0 of 2', '1 of 2', '2 of 2']);
    assert.equal([again.recorded, again.left], [2, 2]);
  }));

for (const concurrency of [1, 4]) {
  test(`asks no more questions than allowed, also if they fail, ${concurrency} at a time`, () =>
    inCatalog(async (folder) => {
      const failures = ['One.', 'Two.', 'Three.', 'Four.'].map((text) => new NoAnswer(text));
      const asked = await recordIn(folder, modelOf(...failures), { most: 2, concurrency });
      assert.equal([asked.recorded, asked.left, asked.failures.length], [0, 2, 2]);
    }));
}

test('a command that does not end when it is asked to is stopped after its time', () =>
  inFolder(async (folder) => {
    const pids = join(folder, 'pids');
    const stubborn = `trap '' TERM; echo $$ > '${pids}'; while :; do sleep 0.02; done`;
    await withTimeLimit(async (timeoutMs, expire) => {
      const options = { api: 'openai', command: stubborn, timeout: timeoutMs / 1_000 } as const;
      const error = openModel('m', options, {})
        .ask('Hello')
        .catch((reason) => reason);
      await until(() => existsSync(pids) && readFileSync(pids, 'utf8').endsWith('\n'));
      expire();
      assert.is((await soon(error)).message, 'The command took more than 0.1 seconds.');
    }, 100);
    assert.equal(await leftOf(pids), []);
  }));

test('asks no further after a wrong key, also if another question fails for another reason afterward', () =>
  inCatalog(async (folder) => {
    const model = modelOf(new NoAnswer('Wrong key.', true), new NoAnswer('Too long.'));
    const { recorded, left, failures } = await recordIn(folder, model, { concurrency: 2 });
    assert.equal([recorded, left], [0, 2]);
    assert.equal(
      failures.map(({ message }) => message),
      ['Wrong key.', 'Too long.'],
    );
  }));

test('on a full disk, asks no further, since each answer would be paid for and lost, and reports the stored ones', () =>
  inCatalog(async (folder) => {
    const original = fs.writeFileSync;
    fs.writeFileSync = (path, ...rest) => {
      // As Node.js reports it, without a path.
      if (String(path).includes('planted.txt')) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      original(path, ...rest);
    };
    syncBuiltinESMExports();
    try {
      const { recorded, left, failures, tokens } = await recordIn(folder, modelOf());
      assert.equal([recorded, left, tokens], [1, 2, { input: 10, output: 6 }]);
      const file = join(folder, 'agents/one/evals/recordings/m/planted.txt');
      const message = `${file} cannot be used: the disk is full (ENOSPC).`;
      assert.equal(failures, [{ slug: 'one', case: 'planted', message }]);
    } finally {
      fs.writeFileSync = original;
      syncBuiltinESMExports();
    }
  }));

test('counts the tokens of answers that cannot be stored', () =>
  inCatalog(async (folder) => {
    const { recorded, tokens } = await recordIn(folder, modelOf('Odd', ' '));
    assert.equal([recorded, tokens], [3, { input: 20, output: 12 }]);
  }));

test('stores answers of an agent with an error elsewhere, and replaces an answer that has one', () =>
  inCatalog(async (folder) => {
    const path = 'agents/one/evals/recordings/m/sample.txt';
    writeFiles(folder, { [path]: 'Odd\u200b\n', 'agents/one/sample-output.txt': 'Not \u200b valid.\n' });
    const { recorded, failures } = await recordIn(folder, modelOf('Odd: one\rtwo\r\n'), { replace: 'all' });
    assert.equal([recorded, failures], [4, []]);
    assert.is(snapshot(join(folder, 'agents/one/evals/recordings'))['m/sample.txt'], 'Odd: one\ntwo\n');
  }));

test.run();
