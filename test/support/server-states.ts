import { cpSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerFlags } from '../../src/server/options.ts';
import { temporaryFolder } from './catalog.ts';
import { builtBundled, startProcess, startRuntime } from './server.ts';

/** Servers in the states in which they answer with the errors that docs/api.md lists. */

/** The address that a catalog has in the documentation. */
export const documented = 'http://localhost:3000';

/** A server in the state that an error needs. */
export type State = keyof typeof states;

/** Preloaded into a server: it waits 300 ms for a request instead of 20 s. */
const impatience = `data:text/javascript,${encodeURIComponent(`
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
const { createServer } = http;
const short = { requestTimeout: 300, headersTimeout: 300, connectionsCheckingInterval: 50 };
http.createServer = (options, listener) => createServer({ ...options, ...short }, listener);
syncBuiltinESMExports();
`)}`;

/** The folder of all servers: each has its data below it. */
const folder = temporaryFolder();
const running: { stop(): Promise<unknown> }[] = [];
const addresses = new Map<State, string>();

const start = (name: string, flags: ServerFlags = {}, env: NodeJS.ProcessEnv = {}) =>
  whereIs(startRuntime(folder.path, { flags: { data: name, out: published(), ...flags }, env }));

/** The bundled catalog as it is on the day that the documentation shows. */
const published = () => builtBundled('2026-11-21');

async function whereIs(starting: Promise<{ address: string; stop(): Promise<unknown> }>): Promise<string> {
  const server = await starting;
  running.push(server);
  return server.address.replace(/\/$/, '');
}

const states = {
  usual: () => start('usual'),
  'one vote a minute': () => start('limited', { voteRate: '1/60' }),
  'a provider that is down': () =>
    start(
      'down',
      { subscribers: 'webhook' },
      { CATALOG_SIGNUPS_URL: 'http://127.0.0.1:1/', CATALOG_SIGNUPS_KEY: 'a key for tests' },
    ),
  'a data folder that is gone': async () => {
    const address = await start('gone');
    renameSync(join(folder.path, 'gone'), join(folder.path, 'elsewhere'));
    writeFileSync(join(folder.path, 'gone'), '');
    return address;
  },
  'a file that cannot be read': async () => {
    const broken = join(folder.path, 'broken-dist');
    cpSync(published(), broken, { recursive: true });
    rmSync(join(broken, 'api/schema.json'));
    symlinkSync('schema.json', join(broken, 'api/schema.json'));
    return start('broken', { out: broken });
  },
  'little patience': () =>
    whereIs(
      startProcess(folder.path, { flags: { data: 'impatient', out: published() }, node: ['--import', impatience] }),
    ),
};

/** Starts a server in each state. */
export async function startStates(): Promise<void> {
  await Promise.all((Object.keys(states) as State[]).map(async (state) => addresses.set(state, await states[state]())));
}

/** Stops all servers, and removes their folder. */
export async function stopStates(): Promise<void> {
  // Servers release the locks in their data folders when they stop.
  rmSync(join(folder.path, 'gone'));
  renameSync(join(folder.path, 'elsewhere'), join(folder.path, 'gone'));
  await Promise.all(running.map((server) => server.stop()));
  folder.remove();
}

/** The address of the server in a state, without a slash at its end. */
export const addressOf = (state: State = 'usual') => addresses.get(state) as string;
