import type { ServerResponse } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, snapshot, writeCatalog } from '../../support/catalog.ts';
import { casesFiles, hardInput } from '../../support/evals.ts';
import { loud } from '../../support/loud.ts';
import { json, type ModelServer, says, startModelServer } from '../../support/model-server.ts';
import { catalog } from '../../support/process.ts';

/** Services that fail, and answers that cannot be stored: what is reported, and that nothing else is lost. */

const key = 'key-of-the-test-0123456789';
const token = ['ghp', '16C7e42F292c6912E7710c838347Ae178B4a'].join('_');

let model: ModelServer;
test.before(
  loud(async () => {
    model = await startModelServer();
  }),
);
test.after(() => model.stop());

interface Row {
  name: string;
  /** Answers the case `planted`. */
  answer: (response: ServerResponse) => unknown;
  message: string;
  args?: string[];
  /** How often the case is asked for. @default 1 */
  requests?: number;
}

const garbage = 'The response is not one of this API. Check --url, and --api if the service has another API.';

const rows: Row[] = [
  {
    name: 'a key that is refused',
    answer: (response) => json(response, 401, { error: { message: `Incorrect API key ${key}` } }),
    message:
      'one, planted: The service answered 401. Check the key: see npx --no daily-agent-catalog help eval. It says: Incorrect API key …\n',
  },
  {
    name: 'an unknown model',
    answer: (response) => json(response, 404, { error: 'model "m" not found\nTry pulling it first' }),
    message: 'The service answered 404. Check --model and --url. It says: model "m" not found Try pulling it first\n',
  },
  {
    name: 'a redirect, which could lead the key to another host',
    answer: (response) => response.writeHead(307, { location: '/elsewhere' }).end(),
    message: 'The service answered 307. Give the new address with --url.',
  },
  {
    name: 'a request that is refused',
    answer: (response) => json(response, 400, { error: { message: 'The message is too long.' } }),
    message: 'one, planted: The service answered 400. It says: The message is too long.\n',
  },
  {
    name: 'an error that stays',
    requests: 5,
    answer: (response) => json(response, 500, {}, { 'retry-after': '0' }),
    message: 'one, planted: The service answered 500 (Retry-After: 0).\n',
  },
  {
    name: 'a limit that lasts for an hour',
    answer: (response) => json(response, 429, { error: { message: 'Quota exceeded.' } }, { 'retry-after': '3600' }),
    message: 'one, planted: The service answered 429 (Retry-After: 3600). It says: Quota exceeded.\n',
  },
  { name: 'garbage', answer: (response) => response.end('{"choices": [{]'), message: `one, planted: ${garbage}\n` },
  { name: 'the answer of another API', answer: (response) => response.end('{"content": "x"}'), message: garbage },
  {
    name: 'garbage without an end',
    answer: (response) => {
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', write);
      write();
    },
    message: 'one, planted: The response has more than 2097152 bytes.\n',
  },
  {
    name: 'a service that hangs',
    answer: () => {},
    args: ['--timeout', '2'],
    message: 'one, planted: There was no complete answer within 2 seconds.\n',
  },
  {
    name: 'a service that hangs in the middle of its answer',
    answer: (response) => response.write('{'),
    args: ['--timeout', '2'],
    message: 'one, planted: There was no complete answer within 2 seconds.\n',
  },
  {
    name: 'an answer of 5 MB',
    answer: (response) => says(response, 'x'.repeat(5_000_000)),
    message: 'one, planted: The response has more than 2097152 bytes.\n',
  },
  {
    name: 'an answer that is too long for a file',
    answer: (response) => says(response, 'é'.repeat(150_000)),
    message: 'one, planted: The answer has 300000 bytes; at most 262144 can be stored.\n',
  },
  {
    name: 'an answer that was cut off',
    answer: (response) => says(response, 'x', { choices: [{ message: { content: 'Od' }, finish_reason: 'length' }] }),
    message:
      // CompletionCreateParams of openai-node: max_tokens is deprecated, and its newer models refuse it.
      'one, planted: The answer was cut off at the limit of tokens. Raise it, such as --setting max_tokens=16000; newer models of OpenAI call it max_completion_tokens.\n',
  },
  {
    // CreateChatCompletionResponse of OpenAI: content_filter. OpenRouter: error.
    name: 'an answer that a filter stopped',
    answer: (response) =>
      says(response, 'x', { choices: [{ message: { content: 'Od' }, finish_reason: 'content_filter' }] }),
    message: 'one, planted: The service stopped the answer (content_filter), so it is not stored.\n',
  },
  {
    // OpenRouter reports errors so once a provider has begun to answer.
    name: 'an error instead of an answer, with status 200',
    answer: (response) => json(response, 200, { error: { code: 502, message: `Provider of ${key} failed` } }),
    message: 'one, planted: The service reports an error. It says: Provider of … failed\n',
  },
  {
    name: 'an empty answer',
    answer: (response) => says(response, 'x', { choices: [{ message: { content: null } }] }),
    message: 'one, planted: The answer is empty, so it is not stored.\n',
  },
  {
    name: 'an answer with the key',
    answer: (response) => says(response, `Your key is ${key}.`),
    message: 'one, planted: The response contains your key, so it is not stored.\n',
  },
  {
    name: 'an answer of a model that is named like the key',
    answer: (response) => says(response, 'Odd: nothing', { model: key }),
    message: 'one, planted: The response contains your key, so it is not stored.\n',
  },
  {
    name: 'an error with another secret',
    answer: (response) => json(response, 400, { error: { message: `Not ${token}.` } }),
    message: `one, planted: The service answered 400. It says: Not ghp_${'*'.repeat(36)}.\n`,
  },
  {
    name: 'an answer with another secret',
    answer: (response) => says(response, `One\ntoken: ${token}\n`),
    message: 'agents/one/evals/recordings/m/planted.txt:2:8  error  text/secret',
  },
  {
    name: 'an answer with a hidden character',
    answer: (response) => says(response, 'One\nTwo\u200b\n'),
    message: 'agents/one/evals/recordings/m/planted.txt:2:4  error  text/hidden-character',
  },
  {
    name: 'such an answer without asking to change a file that does not exist',
    answer: (response) => says(response, 'One\nTwo\u200b\n'),
    message: '\n  Nothing was stored. Run the command again for a new answer.\n\n1 error\n',
  },
];

for (const { name, answer, message, args = [], requests = 1 } of rows) {
  test(`reports ${name}`, () =>
    inFolder(async (folder) => {
      writeCatalog(folder, [{ slug: 'one', date: '2026-01-01', files: casesFiles }]);
      const before = snapshot(folder);
      model.asked.length = 0;
      model.answer = (response, asked) =>
        asked.message.endsWith(hardInput) ? answer(response) : says(response, 'Odd: nothing');
      const options = ['--model', 'm', '--url', model.url, '--concurrency', '1', ...args];
      const env = { CATALOG_EVAL_KEY: key };
      const { code, stderr } = await catalog(['eval', '--record', '--cwd', folder, ...options], { env });
      assert.is(code, 1);
      assert.ok(stderr.includes(message), stderr);
      assert.is(model.asked.filter((asked) => asked.message.endsWith(hardInput)).length, requests);
      assert.not.match(stderr, key);
      assert.not.match(stderr, token);
      assert.match(stderr, 'Recorded 1 answer');
      const after = Object.keys(snapshot(folder)).filter((path) => !(path in before));
      assert.equal(
        after,
        ['recording.json', 'sample.txt'].map((file) => `agents/one/evals/recordings/m/${file}`),
      );
    }));
}

test('asks no further if no other answer would come either', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01', files: casesFiles }]);
    const recordWith = (...args: string[]) =>
      catalog(['eval', '--record', '--cwd', folder, '--model', 'm', '--concurrency', '1', ...args]);
    for (const status of [307, 401, 403, 404]) {
      model.asked.length = 0;
      model.answer = (response) => json(response, status, {});
      const { code, stderr } = await recordWith('--url', model.url);
      assert.equal([code, model.asked.length], [1, 1]);
      assert.match(stderr, 'Still missing: 1 answer. Run the command again.\n');
    }
    const gone = await startModelServer();
    gone.stop();
    const { stderr } = await recordWith('--url', gone.url);
    const message = `${gone.url}/chat/completions cannot be reached (ECONNREFUSED). Check the address, and that the server runs.`;
    assert.match(stderr, `one, sample: ${message}\nRecorded 0 answers. 0 existed already.\nStill missing: 1 answer.`);
    const unknown = await recordWith('--command', 'no-such-program-anywhere');
    assert.match(unknown.stderr, /one, sample: The command failed \(exit code 127\): .*no-such-program-anywhere: .+\n/);
    assert.match(unknown.stderr, 'Still missing: 1 answer.');
    const notExecutable = await recordWith('--command', '/');
    assert.match(notExecutable.stderr, /one, sample: The command failed \(exit code 126\): .+\nRecorded 0/);
    assert.match(notExecutable.stderr, 'Still missing: 1 answer.');
  }));
test.run();
