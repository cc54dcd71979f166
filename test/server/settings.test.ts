import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { UsageError } from '../../src/errors.ts';
import { type ServerFlags, serverOptions } from '../../src/server/options.ts';
import { serverSettings } from '../../src/server/settings.ts';
import { subscriberVariables } from '../../src/subscribers/variables.ts';
import { inFolder, writeFiles } from '../support/catalog.ts';
import { catalog } from '../support/process.ts';
import { builtCatalog } from '../support/server.ts';

/** An invalid setting stops the server at once, with its name. */

const wrong: [flag: string, variable: string, values: string[]][] = [
  ['--port', 'PORT', ['65536', '80a', ' ', '1e3']],
  ['--vote-rate', 'CATALOG_VOTE_RATE', ['30', '0/60', '30/0', '10000000/60', '1/2147484', '1/10000000']],
  ['--subscribe-rate', 'CATALOG_SIGNUP_RATE', ['20/minute']],
  ['--mcp-rate', 'CATALOG_MCP_RATE', ['1000']],
  ['--refused-rate', 'CATALOG_REFUSED_RATE', ['-1/60', 'on']],
  ['--max-connections', 'CATALOG_MAX_CONNECTIONS', ['100000', '-1', '1.5']],
  ['--max-client-connections', 'CATALOG_MAX_CLIENT_CONNECTIONS', ['100000']],
  ['--trust-proxy', 'CATALOG_TRUST_PROXY', ['yes', '101']],
  ['--allow-origin', 'CATALOG_ALLOW_ORIGIN', ['example.com', 'https://example.com/', '*']],
  ['--subscribers', 'CATALOG_SIGNUPS', ['mailchimp']],
  ['--log-level', 'LOG_LEVEL', ['loud']],
];

interface Row {
  name: string;
  flags?: ServerFlags;
  environment?: NodeJS.ProcessEnv;
}

const rows: Row[] = wrong.flatMap(([flag, variable, values]) => {
  const { key } = serverOptions.find((option) => option.flag.startsWith(`${flag} `)) as (typeof serverOptions)[number];
  return values.flatMap((value) => [
    { name: flag, flags: { [key]: value } },
    { name: variable, environment: { [variable]: value } },
  ]);
});
const more: Row[] = [
  { name: '--host', flags: { host: '' } },
  { name: '--out', flags: { out: '' } },
  { name: 'CATALOG_SIGNUPS_URL', flags: { subscribers: 'webhook' }, environment: { CATALOG_SIGNUPS_KEY: 'x' } },
  { name: 'DATABASE_URL', environment: { DATABASE_URL: 'postgres://localhost/x' } },
  { name: 'CATALOG_SIGNUPS_KEY', environment: { CATALOG_SIGNUPS: 'buttondown' } },
  { name: 'CATALOG_SIGNUPS_LIST_PRO', environment: { CATALOG_SIGNUPS: 'listmonk' } },
];

for (const { name, flags = {}, environment = {} } of [...rows, ...more]) {
  test(`an invalid ${name} is named: ${JSON.stringify({ ...flags, ...environment })}`, () => {
    assert.throws(
      () => serverSettings(flags, environment, '/'),
      (error: Error) => error instanceof UsageError && error.message.includes(`${name} `),
    );
  });
}

const right: ServerFlags[] = [
  { port: '0' },
  { port: '65535' },
  { voteRate: '1/1' },
  { voteRate: '9999999/2147483' },
  { maxConnections: '99999' },
  { maxClientConnections: '99999' },
  { trustProxy: '100' },
];

for (const flags of right) {
  test(`a value at the limit is accepted: ${JSON.stringify(flags)}`, () => {
    const [key, value] = Object.entries(flags)[0] as [keyof ServerFlags & 'port', string];
    const [first = '', second] = value.split('/');
    const expected = second === undefined ? Number(first) : { count: Number(first), seconds: Number(second) };
    assert.equal(serverSettings(flags, {}, '/')[key], expected);
  });
}

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
  for (const { flag, variable, fallback } of serverOptions) {
    assert.match(stdout, flag.split(' ')[0] ?? '');
    assert.match(stdout, variable);
    assert.match(stdout, fallback);
  }
  for (const { name } of subscriberVariables) assert.match(stdout, name);
  for (const word of ['--build', '--cwd', '--base-url', '--runtime-url', 'SIGHUP', 'SIGTERM'])
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
