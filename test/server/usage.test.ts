import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { variables } from '../../src/mail/variables.ts';
import { serverOptions } from '../../src/server/options.ts';
import { inFolder, writeFiles } from '../support/catalog.ts';
import { catalog } from '../support/process.ts';
import { builtCatalog } from '../support/server.ts';

/** How `catalog serve` exits if a setting is invalid or unusable, and its help. */

test('an invalid flag and an invalid variable are wrong usage', async () => {
  const results = await Promise.all([
    catalog(['serve', '--trust-proxy', '-1']),
    catalog(['serve', '--host', '']),
    catalog(['serve'], { env: { CATALOG_VOTE_RATE: 'fast' } }),
    catalog(['serve'], { env: { CATALOG_SIGNUPS: 'webhook' } }),
  ]);
  const names = ['--trust-proxy', '--host', 'CATALOG_VOTE_RATE', 'CATALOG_SIGNUPS_URL'];
  for (const [index, { code, stdout, stderr }] of results.entries()) {
    assert.equal([code, stdout], [2, ''], stderr);
    assert.match(stderr, String(names[index]));
  }
});

test('the help of serve lists every flag and every variable', async () => {
  const { code, stdout } = await catalog(['serve', '--help']);
  assert.is(code, 0);
  const help = stdout.replace(/\s+/g, ' ');
  for (const { flag, variable, fallback } of Object.values(serverOptions)) {
    assert.match(help, ` ${flag} `);
    assert.match(help, fallback === '' ? `(or ${variable})` : `(or ${variable}; default: ${fallback})`);
  }
  for (const name of Object.keys(variables.subscribers)) assert.match(stdout, name);
  for (const word of ['--build', '--cwd', '--base-url', '--runtime-url', 'DATABASE_URL', 'SIGHUP', 'SIGTERM'])
    assert.match(stdout, word);
});

const unusable: [name: string, args: string[], message: RegExp][] = [
  ['a data folder that is a file', ['--data', 'a-file'], /a-file/],
  ['a data folder below a file', ['--data', 'a-file/data'], /a-file/],
  ['a vote log that is a folder', ['--votes', 'dist'], /dist/],
  ['a host that is not of this machine', ['--host', '192.0.2.1'], /192\.0\.2\.1 is not an address of this machine/],
  ['a build that is none', ['--out', 'agents'], /agents has no build/],
];

test('an unusable file or port is named in a sentence, without a stack, and the exit code is 1', () =>
  inFolder(async (folder) => {
    builtCatalog(folder);
    writeFiles(folder, { 'a-file': 'x' });
    const outcomes = unusable.map(async ([name, args, message]) => {
      const data = join(folder, name.replaceAll(' ', '-'));
      const { code, stderr } = await catalog(['serve', '--cwd', folder, '--port', '0', '--data', data, ...args]);
      return code === 1 && message.test(stderr) && !stderr.includes('    at ') ? '' : `${name}: ${code} ${stderr}`;
    });
    assert.equal(
      (await Promise.all(outcomes)).filter((outcome) => outcome !== ''),
      [],
    );
  }));

test.run();
