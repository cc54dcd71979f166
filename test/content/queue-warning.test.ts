import { PassThrough } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addPublish } from '../../src/cli/commands/publish.ts';
import { addStatus } from '../../src/cli/commands/status.ts';
import { Console } from '../../src/cli/console.ts';
import { CatalogCommand } from '../../src/cli/options.ts';
import { inFolder, writeCatalog } from '../support/catalog.ts';
import { written } from '../support/written.ts';

/** `queueWarningDays`: agents are ready for two days after today, which is below, at or above what the settings require. */

const today = '2026-11-21';
const agents = ['21', '22', '23', '25'].map((day) => ({ slug: `on-${day}`, date: `2026-11-${day}` }));

/** Returns what a command writes to stdout and stderr. */
async function output(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const streams = [new PassThrough(), new PassThrough()] as const;
  const terminal = new Console(...streams, {});
  const program = new CatalogCommand();
  addStatus(program, terminal);
  addPublish(program, terminal);
  await program.parseAsync([...args, '--today', today], { from: 'user' });
  const [stdout, stderr] = streams.map((stream) => written(stream));
  return { stdout: stdout ?? '', stderr: stderr ?? '' };
}

const rows: [queueWarningDays: number, warned: string | null][] = [
  [0, null],
  [1, null],
  [2, null],
  [3, '3 days'],
  [365, '365 days'],
];

for (const [queueWarningDays, asked] of rows) {
  test(`two days of agents are ${asked === null ? 'enough' : 'too few'} if the settings require ${queueWarningDays}`, () =>
    inFolder(async (folder) => {
      writeCatalog(folder, agents, { queueWarningDays });
      const { stdout: json } = await output('status', '--cwd', folder, '--format', 'json');
      const { queueDays, queueLow } = JSON.parse(json);
      assert.equal([queueDays, queueLow], [2, asked !== null]);
      const { stdout: table } = await output('status', '--cwd', folder);
      const warning = `  Warning: The queue is below queueWarningDays (${asked}).\n`;
      assert.is(table.match(/.*queueWarningDays.*\n/)?.[0], asked === null ? undefined : warning);
      const { stderr } = await output('publish', '--dry-run', '--cwd', folder);
      const line = `warning: Agents are ready through 2026-11-23. The queue is below queueWarningDays (${asked}).`;
      assert.is(stderr.match(/warning:.*queueWarningDays[^.]*\./)?.[0], asked === null ? undefined : line);
    }));
}

test('an empty queue is enough only if the settings require no days', () =>
  inFolder(async (folder) => {
    for (const queueWarningDays of [0, 1]) {
      writeCatalog(folder, agents.slice(0, 1), { queueWarningDays });
      const { stderr } = await output('publish', '--dry-run', '--cwd', folder);
      const line = 'warning: No agent is ready for tomorrow. The queue is below queueWarningDays (1 day).';
      assert.is(stderr.match(/warning:.*queueWarningDays[^.]*\./)?.[0], queueWarningDays === 0 ? undefined : line);
    }
  }));

test.run();
