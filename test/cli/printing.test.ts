import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Console } from '../../src/cli/console.ts';
import { bundled, inFolder, type SmallAgent, writeCatalog } from '../support/catalog.ts';
import { catalog } from '../support/process.ts';
import { written } from '../support/written.ts';

/** Text of strangers cannot control the terminal that it is printed on, nor the GitHub Actions job that prints it. */

const title = '\u001b]0;title\u0007\u009b31m\u202e';
const command = '::stop-commands::x';
const evil = `a${title}\n${command}\n  ::error::y ##[add-mask]z`;
/** File names that contain everything except a slash. */
const folderName = `a${title}\n${command}`;
const agents: SmallAgent[] = [
  { slug: 'one', date: '2026-01-01', front: { [JSON.stringify(evil)]: '1', difficulty: JSON.stringify(evil) } },
  { slug: 'two', date: '2026-01-02', files: { [folderName]: 'x\n', 'prompt.txt': `${evil}\n` } },
  { slug: folderName, date: '2026-01-03' },
];

const calls: string[][] = [
  ['validate'],
  ['validate', '--format', 'json'],
  ['validate', '--format', 'github'],
  ['validate', evil],
  ['status'],
  ['status', '--format', 'json'],
  ['build'],
  ['build', '--skip-invalid'],
  ['build', '--format', 'json', '--skip-invalid'],
  ['build', '--format', 'github'],
  ['publish', '--dry-run'],
  ['publish', '--dry-run', '--format', 'github'],
  ['new', '--title', evil, '--category', evil],
  ['init', evil, '--package', '1', '--title', evil],
  ['votes', '--data', evil],
  ['subscribers', '--data', evil],
  ['publish', '--today', evil],
  ['build', '--base-url', evil],
  [evil],
  [`--${evil}`],
  ['help', evil],
];
for (const args of calls) {
  test(`hostile text has no effect: catalog ${JSON.stringify(args.join(' ')).slice(0, 60)}`, async () => {
    await inFolder(async (folder) => {
      writeCatalog(folder, agents);
      const summary = join(folder, 'summary.md');
      const { stdout, stderr } = await catalog([...args, '--cwd', folder], {
        cwd: folder,
        env: { GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: join(folder, 'outputs') },
      });
      assert.ok(stdout + stderr !== '');
      for (const text of [
        stdout,
        stderr,
        args.includes('validate') && args.includes('github') ? readFileSync(summary, 'utf8') : '',
      ]) {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters.
        assert.not.match(text, /[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/);
        assert.not.match(text, '##[');
        for (const line of text.split('\n')) {
          if (line.trimStart().startsWith('::'))
            assert.match(line, /^::(?:error|warning) (?:file=.*,title=[a-z-]+\/[a-z-]+|title=[^:]+)::/);
        }
      }
      if (args.includes('json')) JSON.parse(stdout);
    });
  });
}

test('JSON has the same values, with escapes', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, agents);
    const { stdout } = await catalog(['status', '--format', 'json', '--cwd', folder, '--today', '2026-01-04']);
    assert.ok(JSON.stringify(JSON.parse(stdout)).includes(JSON.stringify(folderName).slice(1, -1)));
  });
});

test('our colors stay, and those in other text are removed', () => {
  const said = (color: boolean) => {
    const error = Object.assign(new PassThrough(), { isTTY: color });
    new Console(new PassThrough(), error, {}).say('\u001b[31mred\u001b[0m \u001b[8mhidden\u001b[38;5;1m\n');
    return written(error);
  };
  assert.is(said(true), '\u001b[31mred\u001b[0m �[8mhidden�[38;5;1m\n');
  assert.is(said(false), '�[31mred�[0m �[8mhidden�[38;5;1m\n');
});

test('progress is shown from one second on, with the time left: on a terminal as one line, which the next message clears, and in logs and the shell of Emacs every ten seconds', () => {
  const told = (isTTY: boolean, env = {}) => {
    const error = Object.assign(new PassThrough(), { isTTY });
    let now = 0;
    const terminal = new Console(new PassThrough(), error, env, () => now);
    for (const [done, at] of [0, 120, 999, 1000, 1050, 1100, 11_000, 11_100].entries()) {
      now = at;
      terminal.progress('Checking agents', done, 9);
    }
    terminal.say('Done.\n');
    terminal.say('Bye.\n');
    return written(error);
  };
  const shown = ['3 of 9, 2 s left', '5 of 9', '6 of 9, 6 s left', '7 of 9, 3 s left'];
  const lines = shown.map((text) => `\rChecking agents: ${text}\u001b[K`);
  assert.is(told(true), `${lines.join('')}\r\u001b[KDone.\nBye.\n`);
  assert.is(told(false), 'Checking agents: 3 of 9, 2 s left\nChecking agents: 6 of 9, 6 s left\nDone.\nBye.\n');
  assert.is(told(true, { TERM: 'dumb' }), told(false));
});

test('a slow reader of many lines is waited for, so that they do not fill the memory', async () => {
  let taken = () => {};
  const slow = new Writable({
    write(_chunk, _encoding, done) {
      taken = done;
    },
  });
  let ended = false;
  const printed = new Console(slow, new PassThrough(), {}).printLines([{ id: 1 }, { id: 2 }]).then(() => {
    ended = true;
  });
  await new Promise(setImmediate);
  assert.is(ended, false);
  taken();
  await printed;
});

/** Rows of: whether stdout and stderr are terminals, the environment, and whether results and messages have colors. */
const colors: [out: boolean, error: boolean, env: NodeJS.ProcessEnv, results: boolean, messages: boolean][] = [
  [true, true, {}, true, true],
  [true, false, {}, true, false],
  [false, true, {}, false, true],
  [true, true, { NO_COLOR: '', TERM: 'xterm' }, true, true],
  [true, true, { NO_COLOR: '1' }, false, false],
  [true, true, { TERM: 'dumb' }, false, false],
];
for (const [out, error, env, results, messages] of colors) {
  test(`colors: ${JSON.stringify({ out, error, ...env })}`, () => {
    const stream = (isTTY: boolean) => Object.assign(new PassThrough(), { isTTY });
    const { colorData, color } = new Console(stream(out), stream(error), env);
    assert.equal([colorData, color], [results, messages]);
  });
}

test('a reader that closes the pipe is no error, but a full disk is, and is reported once', () => {
  const failure = (code: string) => Object.assign(new Error(code), { code });
  const { exitCode } = process;
  const outcomes: unknown[] = [];
  for (const failing of ['out', 'error'] as const) {
    const streams = { out: new PassThrough(), error: new PassThrough() };
    const terminal = new Console(streams.out, streams.error, {});
    for (const code of ['EPIPE', 'ENOSPC', 'ENOSPC']) {
      streams[failing].emit('error', failure(code));
      outcomes.push([terminal.exitCode, process.exitCode ?? 0, written(streams.error)]);
      process.exitCode = exitCode;
    }
    terminal.exitCode = 130;
    assert.is(terminal.exitCode, 130);
  }
  const said = 'error: The results cannot be written to stdout: the disk is full (ENOSPC).\n';
  assert.equal(outcomes, [
    [0, 0, ''],
    [1, 1, said],
    [1, 1, ''],
    [0, 0, ''],
    [1, 1, ''],
    [1, 1, ''],
  ]);
});

test('the time left of a second task does not depend on the first', () => {
  const error = Object.assign(new PassThrough(), { isTTY: true });
  let now = 0;
  const terminal = new Console(new PassThrough(), error, {}, () => now);
  for (const [task, done, at] of [
    ['Reading agents', 1, 0],
    ['Reading agents', 9, 60_000],
    ['Checking agents', 0, 60_200],
    ['Checking agents', 5, 70_200],
  ] as const) {
    now = at;
    terminal.progress(task, done, 10);
  }
  assert.match(written(error), 'Checking agents: 5 of 10, 10 s left');
});

test('only the messages of MCP and the log of the server bypass the console', () => {
  const root = join(bundled, 'src');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^(?!browser).*\.ts$/.test(name),
  );
  const writers = files.filter((name) =>
    /console\.\w+\(|process\.(?:stdout|stderr)\.write/.test(readFileSync(join(root, name), 'utf8')),
  );
  assert.equal(writers.sort(), [join('cli', 'commands', 'mcp.ts'), join('server', 'log.ts')]);
});

test.run();
