import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Console } from '../../src/cli/console.ts';
import { CatalogBuilder } from '../../src/cli/nightly-build.ts';
import { inFolder, writeCatalog, writeFiles } from '../support/catalog.ts';
import { until } from '../support/until.ts';
import { written } from '../support/written.ts';

/** The build of a new day runs in another process. Here, that process is an imitation of the program. */

interface Rebuilding {
  builder: CatalogBuilder;
  /** What the program was called with; undefined before it is called. */
  called(): { args: string[]; pid: number; site: string } | undefined;
  log(): string;
}

/** Starts a builder that has to build again, with a program that ends as `script` says. */
async function rebuild(script: string, use: (place: Rebuilding, folder: string) => Promise<void>): Promise<void> {
  const own = { program: process.argv[1], setTimeout: globalThis.setTimeout };
  await inFolder(async (folder) => {
    const dist = join(folder, 'dist');
    const log = new PassThrough();
    const program = `import { renameSync, writeFileSync } from 'node:fs';
      const file = (name) => new URL(name, import.meta.url);
      const facts = { args: process.argv.slice(2), pid: process.pid, site: process.env.CATALOG_TEST };
      writeFileSync(file('new'), JSON.stringify(facts));
      renameSync(file('new'), file('called'));
      ${script}`;
    writeFiles(folder, { 'program.mjs': program });
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }]);
    const options = {
      ...{ cwd: folder, dist, terminal: new Console(new PassThrough(), new PassThrough(), {}), log: pino(log) },
      flags: { runtimeUrl: 'https://votes.example' },
      environment: { PATH: process.env.PATH, CATALOG_TEST: 'inherited' },
    };
    const start = async () => {
      const builder = new CatalogBuilder(options);
      await builder.start(3000);
      return builder;
    };
    (await start()).stop();
    // The build fails, so it is tried again soon.
    const broken = {
      slug: 'one',
      date: '2026-01-01',
      front: { issue: '1' },
      files: { 'prompt.txt': 'No sections.\n' },
    };
    writeCatalog(folder, [broken]);
    process.argv[1] = join(folder, 'program.mjs');
    globalThis.setTimeout = ((work: () => void) => own.setTimeout(work, 1)) as typeof setTimeout;
    const builder = await start();
    let text = '';
    const called = () =>
      existsSync(join(folder, 'called')) ? JSON.parse(readFileSync(join(folder, 'called'), 'utf8')) : undefined;
    try {
      await use({ builder, called, log: () => (text += written(log)) }, folder);
    } finally {
      builder.stop();
      globalThis.setTimeout = own.setTimeout;
      process.argv[1] = own.program as string;
    }
  });
}

test('it gets the folders, the addresses and the environment of the server, and skips agents with errors', () =>
  rebuild(`console.log('{"skipped":["two"],"id":"0f3c"}');`, async ({ called, log }, folder) => {
    await until(() => log().includes('built for a new day'));
    const { args, site } = called() ?? { args: [], site: '' };
    assert.equal(args, [
      ...['build', '--format', 'json', '--skip-invalid', '--cwd', folder, '--out', join(folder, 'dist')],
      ...['--base-url', 'http://localhost:3000', '--runtime-url', 'https://votes.example'],
    ]);
    assert.is(site, 'inherited');
    assert.match(log(), '"agents":["two"],"msg":"skipped agents that have errors"');
    assert.match(log(), '"id":"0f3c","msg":"built for a new day"');
    assert.match(log(), 'The pages cannot show how prompts changed');
  }));

test('a build that fails without a result is logged with its messages', () =>
  rebuild(`console.error('No memory is left.'); process.exitCode = 1;`, async ({ log }) => {
    await until(() => log().includes('"output":"No memory is left.\\n","msg":"the catalog cannot be built'));
  }));

test('a running build goes on when the server reopens its logs', () =>
  rebuild(`setTimeout(() => console.log('{"skipped":[],"id":"0f3c"}'), 100);`, async ({ called, log }) => {
    let reopened = 0;
    const reopen = () => {
      reopened += 1;
    };
    process.on('SIGHUP', reopen);
    try {
      await until(() => called() !== undefined);
      process.kill(process.pid, 'SIGHUP');
      await until(() => reopened > 0 && /built for a new day|build ended with/.test(log()));
      assert.match(log(), '"id":"0f3c","msg":"built for a new day"');
    } finally {
      process.off('SIGHUP', reopen);
    }
  }));

test('a running build ends with the server', () =>
  rebuild('setInterval(() => {}, 1000);', async ({ builder, called }) => {
    await until(() => called() !== undefined);
    builder.stop();
    await until(() => {
      try {
        return !process.kill(called()?.pid ?? 0, 0);
      } catch {
        return true;
      }
    });
  }));

test.run();
