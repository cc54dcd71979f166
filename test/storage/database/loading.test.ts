import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withProcess } from '../../support/server.ts';

/** A server loads code for databases only if it has one. */

/** Preloaded into a server: it says at its end how many modules of pg it has loaded. */
const telling = [
  '--import',
  `data:text/javascript,${encodeURIComponent(`
    import module from 'node:module';
    process.on('exit', () => {
      const loaded = Object.keys(module._cache).filter((path) => /node_modules\\/pg[^/]*\\//.test(path));
      console.log('LOADED ' + loaded.length);
    });
  `)}`,
];

const rows: [name: string, env: NodeJS.ProcessEnv, isLoaded: boolean][] = [
  ['without DATABASE_URL', {}, false],
  ['with an empty DATABASE_URL', { DATABASE_URL: '' }, false],
  // Nothing listens on port 1. The server starts nevertheless: the database may come back.
  ['with DATABASE_URL', { DATABASE_URL: 'postgres://127.0.0.1:1/catalog' }, true],
];

for (const [name, env, isLoaded] of rows) {
  test(`a server ${name} loads ${isLoaded ? 'pg' : 'nothing of pg'}`, () =>
    withProcess({ env, node: telling }, async ({ server }) => {
      const { code, stdout } = await server.stop('SIGTERM');
      assert.is(code, 0);
      const [, count] = /LOADED (\d+)/.exec(stdout) ?? [];
      assert.is(Number(count) > 0, isLoaded, `${count} modules`);
    }));
}

test.run();
