import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { build } from '../../src/build/build.ts';
import { cacheFolder } from '../../src/cli/options.ts';
import { loadSettings } from '../../src/content/settings.ts';
import { startServer as startHere } from '../../src/server/app.ts';
import { serverLog } from '../../src/server/log.ts';
import { type ServerFlags, serverOptions } from '../../src/server/options.ts';
import { serverSettings } from '../../src/server/settings.ts';
import { siteRules } from '../../src/site/hosting/site-rules.ts';
import { bundled, inFolder, type SmallAgent, writeCatalog } from './catalog.ts';
import { sharedFolder } from './make-once.ts';
import { type RunningServer, startServer } from './process.ts';

/** A small catalog that is built and served. */
export interface Served<Server> {
  server: Server;
  /** The folder of the catalog; dist/ and data/ are in it. */
  folder: string;
  dist: string;
  data: string;
  /** The vote log. */
  log: string;
}

/** A catalog that this process serves. */
export type Runtime = Served<ServerHere>;

/** A server within this process. */
export interface ServerHere {
  /** The address of the server, with a slash at its end. */
  address: string;
  /** The log so far, as JSON lines. */
  logged(): string;
  /** Does what SIGHUP does. */
  reopen(): Promise<void>;
  stop(): Promise<void>;
}

interface ServeOptions {
  agents?: SmallAgent[];
  settings?: object;
  /** Settings of the server. Limits are off unless they are set here. */
  flags?: ServerFlags;
  env?: NodeJS.ProcessEnv;
}

export interface RuntimeOptions extends ServeOptions {
  /** Called with the path of each handled request. */
  onRequest?(path: string): void;
  /** How long a connection may stall, in milliseconds. */
  stalledMs?: number;
}

export interface ProcessOptions extends ServeOptions {
  /** Arguments for node itself. */
  node?: string[];
}

export const oneAgent: SmallAgent[] = [{ slug: 'one', date: '2026-01-01' }];

const noLimits: ServerFlags = {
  voteRate: 'off',
  subscribeRate: 'off',
  mcpRate: 'off',
  refusedRate: 'off',
  maxClientConnections: '0',
};

/** Writes a small catalog and builds it into `folder`/dist. In an empty folder, it is a copy of the first one like it. */
export function builtCatalog(folder: string, agents = oneAgent, settings: object = {}): string {
  const out = join(folder, 'dist');
  if (existsSync(join(folder, 'agents')) || existsSync(out)) write(folder, agents, settings);
  else {
    const key = JSON.stringify([agents, settings]);
    cpSync(
      sharedFolder(key, (draft) => write(draft, agents, settings)),
      folder,
      { recursive: true },
    );
  }
  return out;
}

/**
 * Builds the bundled catalog with the agents published on a day, by default all, once a run. Returns the folder of the build: do
 * not change it.
 */
export function builtBundled(today = '2027-06-01'): string {
  const cache = cacheFolder(process.env);
  const made = sharedFolder(`bundled ${today}`, (folder) =>
    build({ cwd: bundled, out: join(folder, 'dist'), settings: loadSettings(bundled, {}, {}), cache, today }),
  );
  return join(made, 'dist');
}

function write(folder: string, agents: SmallAgent[], settings: object): void {
  writeCatalog(folder, agents, settings);
  const out = join(folder, 'dist');
  const cache = cacheFolder(process.env);
  build({ cwd: folder, out, settings: loadSettings(folder, {}, {}), cache, today: '2026-02-01' });
}

/** Serves the build of `folder` within this process, which takes no time to start. */
export async function startRuntime(
  folder: string,
  { flags = {}, env = {}, onRequest, stalledMs }: RuntimeOptions = {},
): Promise<ServerHere> {
  const settings = serverSettings({ port: '0', out: 'dist', data: 'data', ...noLimits, ...flags }, env, folder);
  let logged = '';
  const log = serverLog('info', {
    write(line) {
      logged += line;
    },
    flushSync() {},
  });
  const { request } = log;
  log.request = (...parts) => {
    request(...parts);
    onRequest?.(parts[2]);
  };
  const server = await startHere(settings, { log, rules: siteRules, stalledMs });
  let stopped: Promise<void> | undefined;
  return {
    address: server.address,
    logged: () => logged,
    reopen: () => server.reopen(),
    stop() {
      stopped ??= server.close();
      return stopped;
    },
  };
}

/** Runs `use` with a server of this process over a new small catalog, then stops it and removes the folder. */
export async function withRuntime(
  options: RuntimeOptions,
  use: (runtime: Runtime) => Promise<void> | void,
): Promise<void> {
  await withServed(options, (folder) => startRuntime(folder, options), use);
}

/**
 * Starts `catalog serve` over the build of `folder`: for tests of what the process itself does, such as signals, its
 * output and its end.
 */
export function startProcess(
  folder: string,
  { flags = {}, env = {}, node = [] }: ProcessOptions = {},
): Promise<RunningServer> {
  const given = { out: join(folder, 'dist'), data: join(folder, 'data'), ...noLimits, ...flags };
  const args = Object.entries(serverOptions).flatMap(([key, { flag }]) => {
    const value = given[key as keyof typeof given];
    return value === undefined ? [] : [flag.split(' ')[0] ?? flag, ...[value].flat()];
  });
  return startServer(args, { cwd: folder, env, node });
}

/** As withRuntime, but with a process; see startProcess. */
export async function withProcess(
  options: ProcessOptions,
  use: (served: Served<RunningServer>) => Promise<void> | void,
): Promise<void> {
  await withServed(options, (folder) => startProcess(folder, options), use);
}

async function withServed<Server extends { stop(signal: 'SIGKILL'): Promise<unknown> }>(
  { agents, settings }: ServeOptions,
  start: (folder: string) => Promise<Server>,
  use: (served: Served<Server>) => Promise<void> | void,
): Promise<void> {
  await inFolder(async (folder) => {
    const dist = builtCatalog(folder, agents, settings);
    const server = await start(folder);
    const data = join(folder, 'data');
    try {
      await use({ server, folder, dist, data, log: join(data, 'votes.jsonl') });
    } finally {
      await server.stop('SIGKILL');
    }
  });
}
