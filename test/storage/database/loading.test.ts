import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withProcess } from '../../support/server.ts';

/** A server loads code for databases only if it has one. */

/** Preloaded into a server: it says when the server loads the bundle with pg. */
const hook = `
  import { writeSync } from 'node:fs';
  export function load(url, context, next) {
    if (/\\/lib\\/postgres-/.test(url)) writeSync(1, 'LOADED pg\\n');
    return next(url, context);
  }
`;
const module = (text: string) => `data:text/javascript,${encodeURIComponent(text)}`;
const telling = [
  '--import',
  module(`import { register } from 'node:module'; register(${JSON.stringify(module(hook))});`),
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
      assert.is(stdout.includes('LOADED pg'), isLoaded, stdout);
    }));
}

test.run();
