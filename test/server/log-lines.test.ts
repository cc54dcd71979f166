import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { prettyLine, serverLog, terminalDestination } from '../../src/server/log.ts';
import { inFolder, writeFiles } from '../support/catalog.ts';
import { builtCatalog, startRuntime } from '../support/server.ts';

/** The lines of the server's log: as JSON for programs, and as text for a person at a terminal. */

const request = { msg: 'request', method: 'GET', path: '/agents', status: 200, ms: 3 };
/** Each line is written at 09:05:07. */
const time = new Date(2026, 0, 1, 9, 5, 7).getTime();

const lines: [json: object, text: string][] = [
  [{ level: 30, ...request }, '09:05:07 200 GET /agents  3 ms\n'],
  [{ level: 40, ...request, status: 503, slow: true }, '09:05:07 warn 503 GET /agents  3 ms  slow=true\n'],
  [{ level: 30, ...request, path: '/\u001b[2J\nx' }, '09:05:07 200 GET /\ufffd[2J x  3 ms\n'],
  [{ level: 10, msg: 'a' }, '09:05:07 trace a\n'],
  [{ level: 20, msg: 'a' }, '09:05:07 debug a\n'],
  [{ level: 40, msg: 'slow', votes: 2, file: 'a b' }, '09:05:07 warn slow  votes=2  file=a b\n'],
  [{ level: 60, msg: 'a', list: ['b', null] }, '09:05:07 fatal a  list=["b",null]\n'],
  [{ level: 35, msg: 'a\u009b' }, '09:05:07 a\ufffd\n'],
  [{ msg: 'a', field: '\u202eb' }, '09:05:07 a  field=\ufffdb\n'],
  [{ level: 30, a: 'b' }, '09:05:07   a=b\n'],
  [{ level: 30 }, '09:05:07 \n'],
  [
    { level: 50, msg: 'failed', err: { message: 'x', stack: 'Error: x\n    at a\n    at \u001b]0;b' } },
    '09:05:07 error failed\n    Error: x\n    at a\n    at \ufffd]0;b\n',
  ],
  [{ level: 50, msg: 'failed', err: { message: 'only\nthis' } }, '09:05:07 error failed\n    only\n    this\n'],
  [{ level: 50, msg: 'failed', err: { code: 1 } }, '09:05:07 error failed\n    {"code":1}\n'],
  [{ level: 50, msg: 'failed', err: 'x' }, '09:05:07 error failed\n'],
  [{ level: 50, msg: 'failed', err: null }, '09:05:07 error failed\n'],
];
for (const [json, text] of lines) {
  test(`a line for a person: ${JSON.stringify(json)}`, () => {
    const line = `${JSON.stringify({ time, pid: 1, hostname: 'h', ...json })}\n`;
    assert.is(prettyLine(line, { color: false }), text);
  });
}

test('a line for a person has the time of day and the level in color', () => {
  const colors = { 10: '2', 20: '2', 30: null, 40: '33', 50: '31', 60: '31' };
  const names = { 10: 'trace', 20: 'debug', 30: '', 40: 'warn', 50: 'error', 60: 'fatal' };
  for (const level of [10, 20, 30, 40, 50, 60] as const) {
    const line = prettyLine(JSON.stringify({ level, time, msg: 'a' }), { color: true });
    const mark = colors[level] === null ? '' : `\u001b[${colors[level]}m${names[level]}\u001b[0m `;
    assert.is(line, `\u001b[2m09:05:07\u001b[0m ${mark}a\n`);
  }
});

test('a line without a time gets the present one, and a line that is not JSON is shown unchanged', () => {
  assert.match(prettyLine('{"level":30,"msg":"a"}', { color: false }), /^\d\d:\d\d:\d\d a\n$/);
  assert.is(prettyLine('not JSON \u001b[2J\n', { color: false }), 'not JSON \ufffd[2J\n');
});

test('at a terminal, each line is shown at once', () => {
  const shown: unknown[] = [];
  const { write } = process.stdout;
  process.stdout.write = (text: unknown) => shown.push(text) > 0;
  try {
    terminalDestination({ color: false }).write(JSON.stringify({ level: 40, time, msg: 'a' }));
  } finally {
    process.stdout.write = write;
  }
  assert.equal(shown, ['09:05:07 warn a\n']);
});

/** The lines of a log at `level` of requests that were answered with `statuses`. */
function logged(level: string, statuses: readonly number[], path = '/a', ms = 0): string[] {
  const written: string[] = [];
  const log = serverLog(level, { write: (line) => written.push(line), flushSync() {} });
  for (const statusCode of statuses) {
    log.request({ method: 'GET' } as IncomingMessage, { statusCode } as ServerResponse, path, ms);
  }
  return written;
}

test('the line of a request has its method, path, status and milliseconds', () => {
  const { now } = Date;
  Date.now = () => 1_767_225_600_250;
  try {
    const [line = ''] = logged('info', [404], '/a"b', 249.6);
    assert.ok(line.endsWith('}\n'));
    const { request, ...rest } = JSON.parse(line);
    assert.match(request, /^[\w-]+$/);
    assert.equal(rest, {
      level: 30,
      time: 1_767_225_600_250,
      pid: process.pid,
      hostname: hostname(),
      method: 'GET',
      path: '/a"b',
      status: 404,
      ms: 250,
      msg: 'request',
    });
  } finally {
    Date.now = now;
  }
});

test('a request is logged as an error, a warning or for information by its status, and only at a level that is wanted', () => {
  const statuses = [200, 499, 500, 501, 503];
  const levels = (level: string) => logged(level, statuses).map((line) => JSON.parse(line).level);
  assert.equal(levels('info'), [30, 30, 50, 40, 40]);
  assert.equal(levels('warn'), [50, 40, 40]);
  assert.equal(levels('error'), [50]);
  assert.equal(levels('fatal'), []);
  assert.equal(levels('debug'), [30, 30, 50, 40, 40]);
});

test('flushing the log writes the lines that its destination still holds', () => {
  let flushed = 0;
  serverLog('info', {
    write() {},
    flushSync() {
      flushed += 1;
    },
  }).flush();
  assert.is(flushed, 1);
});

test('what was wrong with the vote log is in the log of the server', () =>
  inFolder(async (folder) => {
    builtCatalog(folder);
    writeFiles(folder, { 'data/votes.jsonl': '{"id":"cut o' });
    const server = await startRuntime(folder);
    await server.stop();
    const warnings = server
      .logged()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ level }) => level === 40);
    assert.is(warnings.length, 1);
    assert.match(warnings[0].msg, 'votes.jsonl.torn');
  }));

const long = `/${'x'.repeat(299)}`;
const paths: [path: string, shown: string][] = [
  ['/ann@example.com/x', '/[hidden]/x'],
  ['/x/ann@example.com', '/x/[hidden]'],
  ['/a/ann%40example.com/b/bob@c', '/a/[hidden]/b/[hidden]'],
  ['/@', '/[hidden]'],
  ['/a%4', '/a%4'],
  [long, long],
  [`${long}y`, `${long}…`],
  [`${long}@`, `${long}…`],
  [`/@${long}`, `/[hidden]/${'x'.repeat(297)}…`],
];
for (const [path, shown] of paths) {
  test(`the path ${path.length > 60 ? `${path.slice(0, 60)}… (${path.length})` : path} is logged without addresses`, () => {
    assert.is(JSON.parse(logged('info', [200], path)[0] ?? '').path, shown);
  });
}

test.run();
