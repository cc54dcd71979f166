import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { errorCodes } from '../../src/schema/api-errors.ts';
import type { ServerFlags } from '../../src/server/options.ts';
import { bundled, temporaryFolder } from '../support/catalog.ts';
import { loud } from '../support/loud.ts';
import { catalog, run } from '../support/process.ts';
import { startProcess, startRuntime } from '../support/server.ts';
import { testUnless } from '../support/skip.ts';

/**
 * docs/api.md calls the server with curl; here every one of its commands is run against a real server, and its answers are
 * compared. UPDATE=1 writes the table of errors, from the rows below.
 */

const page = new URL('../../docs/api.md', import.meta.url);
const documented = 'http://localhost:3000';
const folder = temporaryFolder();
const dist = join(folder.path, 'dist');
const running: { stop(): Promise<unknown> }[] = [];

/** A server in the state that a row needs. */
type State = keyof typeof states;

const start = (name: string, flags: ServerFlags = {}, env: NodeJS.ProcessEnv = {}) =>
  whereIs(startRuntime(folder.path, { flags: { data: name, ...flags }, env }));

async function whereIs(starting: Promise<{ address: string; stop(): Promise<unknown> }>): Promise<string> {
  const server = await starting;
  running.push(server);
  return server.address.replace(/\/$/, '');
}

const states = {
  usual: () => start('usual'),
  'one vote a minute': async () => {
    const address = await start('limited', { voteRate: '1/60' });
    await fetch(`${address}/api/feedback`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"slug":"claim-ladder","vote":"yes"}',
    });
    return address;
  },
  'a provider that is down': () =>
    start(
      'down',
      { subscribers: 'webhook' },
      { CATALOG_SIGNUPS_URL: 'http://127.0.0.1:1/', CATALOG_SIGNUPS_KEY: 'a key for tests' },
    ),
  'a data folder that is gone': async () => {
    const address = await start('gone');
    renameSync(join(folder.path, 'gone'), join(folder.path, 'elsewhere'));
    writeFileSync(join(folder.path, 'gone'), '');
    return address;
  },
  'a file that cannot be read': async () => {
    const broken = join(folder.path, 'broken-dist');
    cpSync(dist, broken, { recursive: true });
    rmSync(join(broken, 'api/schema.json'));
    symlinkSync('schema.json', join(broken, 'api/schema.json'));
    return start('broken', { out: broken });
  },
  'little patience': () =>
    whereIs(startProcess(folder.path, { flags: { data: 'impatient' }, node: ['--import', impatience] })),
};

/** Preloaded into a server: it waits 300 ms for a request instead of 20 s. */
const impatience = `data:text/javascript,${encodeURIComponent(`
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
const { createServer } = http;
const short = { requestTimeout: 300, headersTimeout: 300, connectionsCheckingInterval: 50 };
http.createServer = (options, listener) => createServer({ ...options, ...short }, listener);
syncBuiltinESMExports();
`)}`;

const json = "-H 'Content-Type: application/json'";
const feedback = `${documented}/api/feedback`;
const subscribe = `${documented}/api/subscribe`;
const rows: { when: string; state?: State; curl: string }[] = [
  { when: 'The request is not well-formed HTTP', curl: `curl -s -X 'NO METHOD' ${documented}/api/agents.json` },
  { when: 'The body is not JSON', curl: `curl -s ${json} -d '{"slug":' ${feedback}` },
  {
    when: 'A field of a vote breaks its rule',
    curl: `curl -s ${json} -d '{"slug":"claim-ladder","vote":"maybe"}' ${feedback}`,
  },
  {
    when: 'A field of a subscription breaks its rule',
    curl: `curl -s ${json} -d '{"email":"ada","list":"daily"}' ${subscribe}`,
  },
  {
    when: 'The request comes from a page of another site',
    curl: `curl -s ${json} -H 'Origin: https://elsewhere.example' -d '{"slug":"claim-ladder","vote":"yes"}' ${feedback}`,
  },
  {
    when: 'The slug of a vote is not the slug of an agent',
    curl: `curl -s ${json} -d '{"slug":"no-such-agent","vote":"yes"}' ${feedback}`,
  },
  { when: 'No agent has the slug', curl: `curl -s ${documented}/api/agents/no-such-agent.json` },
  { when: 'Nothing is at the address', curl: `curl -s ${documented}/api/no-such-address` },
  {
    when: 'A file is requested with another method than GET or HEAD',
    curl: `curl -s -X DELETE ${documented}/api/agents.json`,
  },
  { when: 'An operation that needs POST is requested with GET', curl: `curl -s ${feedback}` },
  {
    when: 'The body does not arrive within 20 seconds',
    state: 'little patience',
    curl: `curl -s ${json} -H 'Content-Length: 100' -d '{"slug":' ${feedback}`,
  },
  {
    when: 'The body has more than 64 KiB',
    curl: String.raw`curl -s ${json} -d "{\"note\":\"$(printf %0100000d 0)\"}" ${feedback}`,
  },
  {
    when: 'The content type is neither JSON nor a form',
    curl: `curl -s -H 'Content-Type: text/plain' -d 'yes' ${feedback}`,
  },
  {
    when: 'A client votes more often than allowed (here: once a minute)',
    state: 'one vote a minute',
    curl: `curl -s ${json} -d '{"slug":"claim-ladder","vote":"yes"}' ${feedback}`,
  },
  {
    when: 'The headers have more than 16 KiB',
    curl: `curl -s -H "X-Long: $(printf %0100000d 0)" ${documented}/api/agents.json`,
  },
  {
    when: 'The server fails, for example because it cannot read a file',
    state: 'a file that cannot be read',
    curl: `curl -s ${documented}/api/schema.json`,
  },
  {
    when: 'The provider fails, refuses, or does not answer within 5 seconds',
    state: 'a provider that is down',
    curl: `curl -s ${json} -d '{"email":"ada@example.com","list":"daily"}' ${subscribe}`,
  },
  {
    when: 'Votes cannot be stored, or the server is starting',
    state: 'a data folder that is gone',
    curl: `curl -s ${json} -d '{"slug":"claim-ladder","vote":"yes"}' ${feedback}`,
  },
];

interface Answer {
  status: number;
  headers: Headers;
  body: string;
}

/** Headers that tell a client what to do about an error. */
const telling = ['Allow', 'RateLimit-Policy', 'RateLimit', 'Retry-After'];

function tableRow({ when, curl }: (typeof rows)[number], { status, headers, body }: Answer): string {
  const told = telling.flatMap((name) =>
    headers.has(name) ? [`\`${name}: ${steady(headers.get(name) ?? '')}\``] : [],
  );
  const { error } = JSON.parse(body) as { error: string };
  const cells = [status, code(error), when, code(curl), [code(steady(body)), ...told].join('<br>')];
  return `| ${cells.join(' | ')} |`;
}

/** A code span of Markdown. */
function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** Seconds to wait depend on when one asks. */
function steady(text: string): string {
  return text.replace(/(?<=in |;t=|^)\d+(?= seconds|$)/g, '60');
}

const curlIsThere = spawnSync('sh', ['-c', 'curl --version']).status === 0;

/** Runs a command of the page against another address: by a shell and curl, or where they are missing by ourselves. */
async function call(command: string, address: string): Promise<Answer> {
  const here = command.replaceAll(documented, address);
  if (!curlIsThere) return ask(here);
  const { stdout, stderr, code } = await run('sh', ['-c', `${here} -i --max-time 15`]);
  assert.is(code, 0, `${here} ended with ${code}: ${stderr}`);
  return parseAnswer(stdout);
}

function parseAnswer(text: string): Answer {
  const [head = '', ...rest] = text.replace(/^(?:HTTP\/1\.1 1\d\d .*?\r\n\r\n)+/s, '').split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = new Headers(lines.map((line) => line.split(/: ?(.*)/s, 2) as [string, string]));
  return { status: Number(first.split(' ')[1]), headers, body: rest.join('\r\n\r\n') };
}

/** Sends what curl would send, as far as the page uses it. */
async function ask(command: string): Promise<Answer> {
  const words = [...command.matchAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(
    ([, single, double, plain]) =>
      single ??
      plain ??
      (double ?? '').replace(/\\(["\\])/g, '$1').replace(/\$\(printf %0(\d+)d 0\)/g, (_, size) => '0'.repeat(size)),
  );
  const headers: Record<string, string> = { connection: 'close', accept: '*/*' };
  let [method, body, url] = ['', '', ''];
  for (const [at, word] of words.entries()) {
    const value = words[at + 1] ?? '';
    if (word === '-X') method = value;
    else if (word === '-d') body = value;
    else if (word === '-r') headers.range = `bytes=${value}`;
    else if (word === '-sI') method = 'HEAD';
    else if (word === '-H') {
      const [name = '', given = ''] = value.split(/: ?(.*)/s, 2);
      headers[name.toLowerCase()] = given;
    } else if (word.startsWith('http://')) url = word;
  }
  const { pathname, host, hostname, port } = new URL(url);
  if (body !== '') {
    headers['content-type'] ??= 'application/x-www-form-urlencoded';
    headers['content-length'] ??= String(Buffer.byteLength(body));
  }
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  method ||= body === '' ? 'GET' : 'POST';
  return new Promise((done, failed) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (error) => chunks.length === 0 && failed(error));
    socket.on('close', () => done(parseAnswer(Buffer.concat(chunks).toString('latin1'))));
    socket.write(`${method} ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  });
}

const addresses = new Map<State, string>();

test.before(
  loud(async () => {
    const built = await catalog(['build', '--out', dist, '--today', '2026-11-21', '--base-url', documented], {
      cwd: bundled,
    });
    assert.is(built.code, 0, built.stderr);
    await Promise.all(
      (Object.keys(states) as State[]).map(async (state) => addresses.set(state, await states[state]())),
    );
  }),
);

test.after(
  loud(async () => {
    // Servers release the locks in their data folders when they stop.
    rmSync(join(folder.path, 'gone'));
    renameSync(join(folder.path, 'elsewhere'), join(folder.path, 'gone'));
    await Promise.all(running.map((server) => server.stop()));
    folder.remove();
  }),
);

const addressOf = (state: State = 'usual') => addresses.get(state) as string;
const table = ['| status | `error` | when | command | answer |', '|---|---|---|---|---|'];

if (process.env.UPDATE === '1') {
  test('docs/api.md gets its table of errors', async () => {
    const made: string[] = [];
    for (const row of rows) made.push(tableRow(row, await call(row.curl, addressOf(row.state))));
    const [prose] = readFileSync(page, 'utf8').split(table[0] as string);
    writeFileSync(page, `${prose}${[...table, ...made].join('\n')}\n`);
  });
}

const text = () => readFileSync(page, 'utf8');
const tableRows = () =>
  (text().split(table.join('\n'))[1] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '));

for (const { when, state } of rows) {
  test(`docs/api.md says what is answered: ${when}`, async () => {
    const row = tableRows().find((cells) => cells[2] === when);
    assert.ok(row, 'the table has no such row; UPDATE=1 writes it anew');
    const curl = (row[3] ?? '').slice(1, -1);
    assert.is(`| ${row.join(' | ')} |`, tableRow({ when, curl }, await call(curl, addressOf(state))));
  });
}

test('docs/api.md has every code with its status, and no row that nobody checks', () => {
  const known = Object.entries(errorCodes).map(([code, { status }]) => `${status} \`${code}\``);
  const listed = tableRows().map(([status, code]) => `${status} ${code}`);
  assert.equal([...new Set(listed)].sort(), known.sort());
  assert.equal(
    tableRows().map((cells) => cells[2]),
    rows.map(({ when }) => when),
  );
});

test('every other command of docs/api.md is answered as a success', async () => {
  const blocks = [...text().matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) => block.trim().split('\n'));
  assert.ok(blocks.length > 0);
  for (const command of blocks) {
    const { status } = await call(command, addressOf());
    assert.ok(status >= 200 && status < 400, `${command} is answered ${status}`);
  }
});

test('docs/api.md shows what its commands answer', async () => {
  const shown = [...text().matchAll(/```sh\n([^`]*)\n```\n\n```json\n([^`]*)```/g)];
  assert.is(shown.length, 6);
  for (const [, command = '', json = ''] of shown) {
    const { body } = await call(command, addressOf());
    // `…` stands for any text, also of several lines.
    const pattern = json
      .trim()
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll('…', '.*');
    const here = body.trim().replaceAll(addressOf(), documented);
    assert.match(here, new RegExp(`^${pattern}$`, 's'), command);
  }
});

const programs: [language: string, program: string, ...args: string[]][] = [
  ['bash', 'sh', '-c'],
  ['python', 'python3', '-c'],
  ['js', process.execPath, '--input-type=module', '--eval'],
];
for (const [language, program, ...args] of programs) {
  const needed = language === 'bash' ? ['-c', 'jq --version && curl --version'] : ['--version'];
  const missing = spawnSync(program, needed).status !== 0 && `${program} ${needed.join(' ')} fails`;
  testUnless(missing)(`docs/api.md has an example in ${language} that works`, async () => {
    const example = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(text())?.[1] ?? '';
    const { stdout, stderr } = await run(program, [...args, example.replaceAll(documented, addressOf())]);
    assert.is(stdout, 'release-note-translator\n', stderr);
  });
}

test.run();
