import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadSettings } from '../../src/content/settings.ts';
import { type ServerFlags, serverOptions } from '../../src/server/options.ts';
import { serverSettings } from '../../src/server/settings.ts';
import { inFolder, writeCatalog } from '../support/catalog.ts';

/** Flags override variables of the environment, which override the file and the defaults. */

/** For each setting of the server: the values of a flag and a variable, the resulting values, and the default. */
const precedence: Record<keyof typeof serverOptions, [flag: string, variable: string, ...unknown[]]> = {
  port: ['1', '2', 1, 2, 3000],
  host: ['::1', '0.0.0.0', '::1', '0.0.0.0', '127.0.0.1'],
  out: ['a', 'b', '/cwd/a', '/cwd/b', '/cwd/dist'],
  data: ['a', 'b', '/cwd/a', '/cwd/b', '/cwd/data'],
  votes: ['a', 'b', '/cwd/a', '/cwd/b', '/cwd/data/votes.jsonl'],
  voteRate: ['1/1', '2/2', { count: 1, seconds: 1 }, { count: 2, seconds: 2 }, { count: 30, seconds: 60 }],
  subscribeRate: ['off', '2/2', null, { count: 2, seconds: 2 }, { count: 20, seconds: 60 }],
  mcpRate: ['1/1', 'off', { count: 1, seconds: 1 }, null, { count: 3000, seconds: 60 }],
  refusedRate: ['1/1', '2/2', { count: 1, seconds: 1 }, { count: 2, seconds: 2 }, { count: 120, seconds: 60 }],
  databaseConnections: ['1', '2', 1, 2, 10],
  limitFailure: ['closed', 'open', 'closed', 'open', 'open'],
  metrics: ['[::1]:1', 'h:2', { host: '::1', port: 1 }, { host: 'h', port: 2 }, null],
  drain: ['1', '2', 1, 2, 0],
  maxConnections: ['0', '2', 0, 2, 1000],
  maxClientConnections: ['1', '0', 1, 0, 200],
  trustProxy: ['0', '2', 0, 2, 0],
  allowOrigin: ['http://a.example', 'http://b.example', ['http://a.example'], ['http://b.example'], []],
  subscribers: ['file', 'webhook', 'file', 'webhook', 'file'],
  logLevel: ['silent', 'trace', 'silent', 'trace', 'info'],
};

for (const [key, [flagValue, variableValue, byFlag, byVariable, byDefault]] of Object.entries(precedence)) {
  const { variable } = serverOptions[key as keyof typeof serverOptions];
  test(`the flag of ${key} overrides ${variable}, which overrides the default`, () => {
    const webhook = { CATALOG_SIGNUPS_URL: 'https://hook.example/', CATALOG_SIGNUPS_KEY: 'x' };
    const read = (flags: ServerFlags, environment: NodeJS.ProcessEnv) => {
      const settings = serverSettings(flags, { ...webhook, ...environment }, '/cwd');
      const { dist: out, subscribeRate, subscribers, ...rest } = settings;
      return { ...rest, out, subscribeRate, subscribers: subscribers.provider }[key as 'port'];
    };
    assert.equal(read({ [key]: flagValue }, { [variable]: variableValue }), byFlag);
    assert.equal(read({ [key]: flagValue }, {}), byFlag);
    assert.equal(read({}, { [variable]: variableValue }), byVariable);
    assert.equal(read({}, { [variable]: '' }), byDefault);
    assert.equal(read({}, {}), byDefault);
  });
}

test('addresses come from the flags, or else from the variables, or else from the file', () =>
  inFolder((folder) => {
    const file = 'https://file.example';
    const [flag, variable] = ['https://flag.example', 'https://variable.example'];
    const read = (settings: object, overrides: object, environment: object) => {
      writeCatalog(folder, [], settings);
      const { baseUrl, runtimeUrl } = loadSettings(folder, overrides, environment as NodeJS.ProcessEnv);
      return [baseUrl, runtimeUrl];
    };
    const bases = { baseUrl: flag };
    const variables = { CATALOG_BASE_URL: variable };
    assert.equal(read({ baseUrl: file }, bases, variables), [flag, flag]);
    assert.equal(read({ baseUrl: file }, {}, variables), [variable, variable]);
    assert.equal(read({ baseUrl: file }, { baseUrl: '' }, { CATALOG_BASE_URL: '' }), [file, file]);
    const own = { baseUrl: 'https://press.example', runtimeUrl: file };
    const runtime = { CATALOG_RUNTIME_URL: variable };
    assert.equal(read(own, { runtimeUrl: flag }, runtime), [own.baseUrl, flag]);
    assert.equal(read(own, {}, runtime), [own.baseUrl, variable]);
    assert.equal(read(own, {}, { CATALOG_RUNTIME_URL: '' }), [own.baseUrl, file]);
    assert.equal(read(own, bases, variables), [flag, file]);
    assert.equal(read({ ...own, runtimeUrl: null }, bases, variables), [flag, null]);
    assert.equal(read({ ...own, runtimeUrl: null }, {}, runtime), [own.baseUrl, variable]);
  }));

test.run();
