import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { prettyLine } from '../../src/server/pretty-log.ts';
import { inFolder, writeCatalog } from '../support/catalog.ts';
import { onTerminal } from '../support/terminal.ts';

/** The log of `catalog serve` in a terminal. */

test('on a terminal, serve prints lines for a person instead of JSON', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }]);
    const session = onTerminal(['serve', '--build', '--port', '0', '--cwd', folder]);
    await session.sees('Serving the catalog at ');
    await session.sees('\n');
    session.types('\u0003');
    const { code, screen } = await session.ends();
    assert.is(code, 0, screen);
    assert.match(screen, /\d\d:\d\d:\d\d\S* serving {2}address=http:\/\/localhost:\d+/);
    assert.not.match(screen, '{"level"');
  }));

const lines: [json: object, text: RegExp][] = [
  [
    { level: 30, msg: 'request', method: 'GET', path: '/agents', status: 200, ms: 3 },
    /^\S+ 200 GET \/agents {2}3 ms\n$/,
  ],
  [{ level: 40, msg: 'slow', votes: 2 }, /^\S+ warn slow {2}votes=2\n$/],
  [{ level: 30, msg: 'request', method: 'GET', path: '/\u001b[2J', status: 404, ms: 0 }, / 404 GET \/�\[2J {2}0 ms\n$/],
  [
    { level: 50, msg: 'failed', err: { message: 'x', stack: 'Error: x\n    at a\n    at \u001b]0;b' } },
    /^\S+ error failed\n {4}Error: x\n {4}at a\n {4}at �\]0;b\n$/,
  ],
];
for (const [json, text] of lines) {
  test(`a line of the log for a person: ${JSON.stringify(json)}`, () => {
    const line = JSON.stringify({ time: 1, pid: 1, hostname: 'h', ...json });
    assert.match(prettyLine(line, { color: false }), text);
  });
}

test.run();
