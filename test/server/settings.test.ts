import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { UsageError } from '../../src/lib/errors.ts';
import { type ServerFlags, serverOptions } from '../../src/server/options.ts';
import { serverSettings } from '../../src/server/settings.ts';

/** Which settings the server accepts, and what it says about others. */

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
  ['--limit-failure', 'CATALOG_LIMIT_FAILURE', ['half', 'OPEN']],
  [
    '--metrics',
    'CATALOG_METRICS',
    ['9464', ':9464', 'localhost:', 'localhost:65536', 'http://localhost:9464', 'a b:1'],
  ],
  ['--drain', 'CATALOG_DRAIN', ['301', '5s']],
  ['--log-level', 'LOG_LEVEL', ['loud']],
];

interface Row {
  name: string;
  flags?: ServerFlags;
  environment?: NodeJS.ProcessEnv;
}

const rows: Row[] = wrong.flatMap(([flag, variable, values]) => {
  const [key = ''] = Object.entries(serverOptions).find(([, option]) => option.flag.startsWith(`${flag} `)) ?? [];
  return values.flatMap((value) => [
    { name: flag, flags: { [key]: value } },
    { name: variable, environment: { [variable]: value } },
  ]);
});
const more: Row[] = [
  { name: '--host', flags: { host: '' } },
  { name: '--out', flags: { out: '' } },
  { name: 'CATALOG_SIGNUPS_URL', flags: { subscribers: 'webhook' }, environment: { CATALOG_SIGNUPS_KEY: 'x' } },
  { name: 'DATABASE_URL', environment: { DATABASE_URL: 'mysql://localhost/x' } },
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

const levels = 'fatal, error, warn, info, debug, trace, silent';
const window = 'its window can be at most 2147483 seconds (24 days)';
const rates = 'it has to be <count>/<seconds>, such as 30/60, or off';
const origins = 'it has to be an origin such as https://example.com, without a path';
const says: [flags: ServerFlags, message: string][] = [
  [{ port: '65536' }, '--port is "65536"; it has to be a port from 0 to 65535 (0: any free one).'],
  [{ host: '' }, '--host is empty; give a value, or leave it out.'],
  [{ voteRate: '30' }, `--vote-rate is "30"; ${rates}.`],
  [{ mcpRate: '1/2147484' }, `--mcp-rate is "1/2147484"; ${window}.`],
  [{ databaseConnections: '0' }, '--database-connections is "0"; it has to be a number from 1 to 1000.'],
  [{ databaseConnections: '1001' }, '--database-connections is "1001"; it has to be a number from 1 to 1000.'],
  [{ maxConnections: '100000' }, '--max-connections is "100000"; it has to be a number up to 99999 (0: no limit).'],
  [
    { maxClientConnections: '-1' },
    '--max-client-connections is "-1"; it has to be a number up to 99999 (0: no limit).',
  ],
  [{ trustProxy: '101' }, '--trust-proxy is "101"; it has to be the number of proxies, from 0 to 100.'],
  [{ allowOrigin: ['https://a.example', 'b.example'] }, `--allow-origin has "b.example"; ${origins}.`],
  [{ limitFailure: 'half' }, '--limit-failure is "half"; it has to be open or closed.'],
  [{ metrics: '9464' }, '--metrics is "9464"; it has to be <host>:<port>, such as 127.0.0.1:9464.'],
  [{ drain: '5s' }, '--drain is "5s"; it has to be a number of seconds up to 300.'],
  [{ logLevel: 'loud' }, `--log-level is "loud"; it has to be one of ${levels}.`],
];
for (const [flags, message] of says) {
  test(`what a wrong setting has to be: ${JSON.stringify(flags)}`, () => {
    assert.throws(
      () => serverSettings(flags, {}, '/'),
      (error: Error) => error instanceof UsageError && error.message === message,
    );
  });
}

test('DATABASE_URL names the database; an empty one means that everything is stored in files', () => {
  const read = (DATABASE_URL: string) => serverSettings({}, { DATABASE_URL }, '/').database;
  const url = 'postgresql://user:pass%40word@db.example:5432/catalog?sslmode=verify-full';
  assert.equal([read(url), read(` ${url}\n`), read(''), read(' ')], [url, url, null, null]);
});

test('without a file of its own, the vote log is in the data folder', () => {
  const { data, votes } = serverSettings({ data: '../kept' }, {}, '/srv/catalog');
  assert.equal([data, votes], ['/srv/kept', '/srv/kept/votes.jsonl']);
});

test('servers that share a database and send mails need the same key', () => {
  const mails = { CATALOG_SMTP_URL: 'smtp://mail.example:587', CATALOG_MAIL_FROM: 'Daily <daily@mail.example>' };
  const read = (rest: object) => serverSettings({}, { ...mails, ...rest }, '/');
  const DATABASE_URL = 'postgres://db.example/catalog';
  assert.throws(
    () => read({ DATABASE_URL }),
    (error: Error) => error instanceof UsageError && error.message.startsWith('CATALOG_MAIL_KEY is missing.'),
  );
  assert.is(read({ DATABASE_URL, CATALOG_MAIL_KEY: 'k' }).database, DATABASE_URL);
  assert.is(read({}).database, null);
});

test('origins are given one by one, or in one text with commas or spaces', () => {
  const [a, b] = ['https://a.example', 'http://localhost:81'];
  for (const value of [[a, b], `${a},${b}`, `${a} ${b}`, ` ${a} ,, ${b} `, [`${a},`, b]]) {
    assert.equal(serverSettings({ allowOrigin: value }, {}, '/').allowOrigin, [a, b], JSON.stringify(value));
  }
});

test('metrics can have any port', () => {
  const at = (metrics: string) => serverSettings({ metrics }, {}, '/').metrics;
  assert.equal(
    [at('[::1]:0'), at('localhost:65535')],
    [
      { host: '::1', port: 0 },
      { host: 'localhost', port: 65_535 },
    ],
  );
});

const right: ServerFlags[] = [
  { port: '0' },
  { port: '65535' },
  { databaseConnections: '1' },
  { databaseConnections: '1000' },
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

test.run();
