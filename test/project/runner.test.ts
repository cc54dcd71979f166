import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { moduleTests } from '../../tools/mutation/module-tests.ts';
import { slow } from '../slow.ts';
import { inFolder, writeFiles } from '../support/catalog.ts';
import { run } from '../support/process.ts';
import { until } from '../support/until.ts';

/** The test runner itself: errors outside of a test are failures, and no process is left behind. */

const runner = fileURLToPath(new URL('../run.ts', import.meta.url));
const uvu = import.meta.resolve('uvu');
const tsx = import.meta.resolve('tsx');

/** Whether there is no test file, or no folder, of that name below test/. */
const isMissing = (entry: string) =>
  !existsSync(new URL(`../${entry.endsWith('/') ? entry : `${entry}.test.ts`}`, import.meta.url));

const fixture = (body: string) => `import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { writeFileSync } from 'node:fs';
import { test } from ${JSON.stringify(uvu)};
${body}
test.run();
`;

const forever = `spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })`;

const files = {
  'test/broken.test.ts': fixture(`throw new Error('on import');`),
  'test/crashes.test.ts': fixture(`test('a socket that fails', async () => {
  setImmediate(() => new EventEmitter().emit('error', new Error('read ECONNRESET')));
  await new Promise((done) => setTimeout(done, 20));
});`),
  'test/leaves.test.ts': fixture(`test('a server that nobody stops', () => {
  writeFileSync('pid', String(${forever}.pid));
});`),
  'test/odd.test.ts': fixture(`test('an error that uvu cannot print', () => {
  throw Object.assign(new Error('odd'), { details: [] });
});`),
  'test/passes.test.ts': fixture(`test('fine', () => {});
test.skip('not here', () => {});`),
};

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // A process that nobody has waited for yet has ended all the same.
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

test('an uncaught error fails its file, a remaining child process is killed, and the other files run', () =>
  inFolder(async (folder) => {
    writeFiles(folder, { ...files, 'tmp/.keep': '' });
    const env = { TMPDIR: join(folder, 'tmp') };
    const { code, stdout } = await run(process.execPath, ['--import', tsx, runner], { cwd: folder, env });
    assert.is(code, 1, stdout);
    assert.match(stdout, /\n3 passed, 4 failed\n$/);
    assert.match(stdout, /Error: on import[\s\S]+FAIL {2}broken\.test\.ts {2}its process ended early: 1\n/);
    assert.match(stdout, /FAIL {2}crashes\.test\.ts {2}an error outside of its tests\nError: read ECONNRESET/);
    assert.match(stdout, /FAIL {2}leaves\.test\.ts {2}left process \d+ running/);
    assert.match(stdout, /FAIL {2}odd\.test\.ts {2}stopped after 0 of 1 tests/);
    assert.match(stdout, / 1 skipped\n/);
    assert.match(stdout, /\npasses\.test\.ts: 1 passed, 0 failed in \d+\.\d s, \d+\.\d s of processor time\n/);
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    await until(() => !isRunning(pid));
    const left = readdirSync(join(folder, 'tmp')).filter((name) => name.startsWith('catalog-'));
    assert.equal(left, []);
  }));

test('after a time without a result, the run names the file that hangs, keeps the other results, and goes on', () =>
  inFolder(async (folder) => {
    const slow = `for (const name of ['one', 'two', 'three']) test(name, () => new Promise((done) => setTimeout(done, 1500)));`;
    const loops = fixture(`test('loops', () => {
  const { pid } = spawn('sleep', ['600'], { stdio: ['ignore', 'inherit', 'ignore'] });
  writeFileSync('pid', String(pid));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
// ${'The longest file is first. '.repeat(9)}`);
    writeFiles(folder, {
      'test/loops.test.ts': loops,
      'test/passes.test.ts': files['test/passes.test.ts'],
      'test/slow.test.ts': fixture(slow),
      'tmp/.keep': '',
    });
    const env = { TMPDIR: join(folder, 'tmp'), TEST_PATIENCE: '4000' };
    const { code, stdout } = await run(process.execPath, ['--import', tsx, runner], { cwd: folder, env });
    assert.is(code, 1);
    // A process that a killed one left behind keeps its output open, and is not waited for.
    assert.ok(process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8'))));
    assert.match(stdout, /FAIL {2}loops\.test\.ts {2}was stopped after 4 s without a result\n/);
    assert.match(stdout, /FAIL {2}loops\.test\.ts {2}its process ended early: SIGKILL\n/);
    assert.match(stdout, /\n4 passed, 1 failed\n$/);
  }));

test('`npm run test:unit` leaves out the slow files, all of which exist', () =>
  inFolder(async (folder) => {
    const fails = fixture(`test('slow', () => { throw new Error('was run'); });`);
    const fast = fixture(`test('fast', () => {});`);
    const tests = { 'test/cli/usage.test.ts': fails, 'test/browser/pages.test.ts': fails, 'test/client.test.ts': fast };
    writeFiles(folder, { ...tests, 'tmp/.keep': '' });
    const env = { TMPDIR: join(folder, 'tmp') };
    const { stdout } = await run(process.execPath, ['--import', tsx, runner, '--unit'], { cwd: folder, env });
    assert.match(stdout, /\n1 passed, 0 failed\n$/);
    assert.equal(slow.filter(isMissing), []);
  }));

test('mutation tests name no test file that does not exist', () => {
  assert.equal(Object.values(moduleTests).flat().filter(isMissing), []);
});

test('a run that is stopped stops its workers and their children', () =>
  inFolder(async (folder) => {
    const hangs = fixture(`test('hangs', async () => {
  writeFileSync('pid', String(${forever}.pid));
  await new Promise(() => {});
});`);
    writeFiles(folder, { 'test/hangs.test.ts': hangs, 'tmp/.keep': '' });
    const env = { PATH: process.env.PATH, TMPDIR: join(folder, 'tmp') };
    const child = spawn(process.execPath, ['--import', tsx, runner], { cwd: folder, env, stdio: 'ignore' });
    const ended = once(child, 'exit');
    const read = () => Number(readFileSync(join(folder, 'pid'), 'utf8'));
    try {
      await until(() => readdirSync(folder).includes('pid') && read() > 0);
    } finally {
      child.kill('SIGTERM');
    }
    assert.equal(await ended, [1, null]);
    await until(() => !isRunning(read()));
  }));

test.run();
