import { cpSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { build } from '../../src/build/build.ts';
import { loadSettings } from '../../src/catalog/settings.ts';
import { siteRules } from '../../src/outputs/hosting/site-rules.ts';
import { type ServerFlags, serverOptions } from '../../src/server/options.ts';
import { serverLog } from '../../src/server/request-log.ts';
import { serverSettings } from '../../src/server/settings.ts';
import { startServer as startHere } from '../../src/server/start.ts';
import { cacheFolder } from '../../src/social-image/cache.ts';
import { inFolder, type SmallAgent, writeCatalog } from './catalog.ts';
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
  /** Where it serves, with a slash at its end. */
  address: string;
  /** The log so far, as JSON lines. */
  logged(): string;
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
  /** Is called with the path of each request that was handled. */
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

/** The folder with what `builtCatalog` makes by default; it goes with the folder of the whole run. */
let usual: string | undefined;

/** Writes a small catalog and builds it into `folder`/dist. The usual one is built once and then copied. */
export function builtCatalog(folder: string, agents = oneAgent, settings: object = {}): string {
  const out = join(folder, 'dist');
  const isUsual = agents === oneAgent && Object.keys(settings).length === 0 && !existsSync(join(folder, 'agents'));
  if (isUsual && usual !== undefined) {
    cpSync(usual, folder, { recursive: true });
    return out;
  }
  writeCatalog(folder, agents, settings);
  const cache = cacheFolder(process.env);
  build({ cwd: folder, out, settings: loadSettings(folder, {}, {}), cache, today: '2026-02-01' });
  if (isUsual) {
    usual = mkdtempSync(join(tmpdir(), 'catalog-usual-'));
    cpSync(folder, usual, { recursive: true });
  }
  return out;
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
  const args = serverOptions.flatMap(({ key, flag }) => {
    const value = given[key];
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

export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
  /** The body as text. */
  text: string;
  ms: number;
}

export interface Asking {
  method?: string;
  headers?: http.OutgoingHttpHeaders;
  body?: string | Buffer;
  agent?: http.Agent;
  /** Sends the body in these pieces, without a length. */
  pieces?: readonly Buffer[];
  localAddress?: string;
}

/** Requests `path` as it stands, without following redirects or decoding; rejects where the answer is cut short. */
export function ask(address: string, path: string, asking: Asking = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body, agent, pieces, localAddress } = asking;
  const { hostname, port } = new URL(address);
  // Of DELETE and some others Node's client would send a body without saying so: bytes that are no part of the request.
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const framing = pieces === undefined ? length : { 'transfer-encoding': 'chunked' };
  const begun = performance.now();
  return new Promise((answered, failed) => {
    const request = http.request({
      host: hostname.replace(/^\[|\]$/g, ''),
      port,
      path,
      method,
      headers: { ...headers, ...framing },
      ...(agent === undefined ? {} : { agent }),
      ...(localAddress === undefined ? {} : { localAddress }),
    });
    request.setTimeout(20_000, () => request.destroy(new Error(`No answer to ${method} ${path}`)));
    request.on('error', failed);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', failed);
      response.on('end', () => {
        const whole = Buffer.concat(chunks);
        const { statusCode: status = 0, headers: received } = response;
        answered({
          status,
          headers: received,
          body: whole,
          text: whole.toString('utf8'),
          ms: performance.now() - begun,
        });
      });
    });
    if (pieces === undefined) request.end(body);
    else {
      for (const piece of pieces) request.write(piece);
      request.end();
    }
  });
}

const json = { 'content-type': 'application/json' };

/** Posts a value as JSON. */
export function postJson(address: string, path: string, value: unknown, asking: Asking = {}): Promise<Answer> {
  const body = typeof value === 'string' ? value : JSON.stringify(value);
  return ask(address, path, { method: 'POST', body, ...asking, headers: { ...json, ...asking.headers } });
}

/** Votes for an agent. */
export function vote(address: string, note: string, asking: Asking & { slug?: string } = {}): Promise<Answer> {
  const { slug = 'one', ...rest } = asking;
  return postJson(address, `${new URL(address).pathname}api/feedback`, { slug, vote: 'yes', note }, rest);
}

/** Sends bytes over a connection of their own, and gives all that came back before its end. */
export function exchange(
  address: string,
  bytes: string | Buffer,
  { finish = false, patienceMs = 15_000 } = {},
): Promise<{ text: string }> {
  const { hostname, port } = new URL(address);
  return new Promise((done, failed) => {
    let text = '';
    const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ''));
    socket.setEncoding('latin1');
    const timer = setTimeout(() => {
      socket.destroy();
      failed(new Error(`The connection stayed open after: ${text}`));
    }, patienceMs);
    socket.on('data', (part) => {
      text += part;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      done({ text });
    });
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
    if (finish) socket.end();
  });
}

/** The notes in a vote log: every line is a whole record. */
export function notesIn(log: string): string[] {
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { note: string }).note);
}

/** Votes from `clients` connections at once, each with a note of its own, until the server is gone or it is stopped. */
export function startVoting(address: string, { clients = 16, name = 'n' } = {}) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: clients });
  const acknowledged: string[] = [];
  /** What was answered otherwise: `<status> <note>`. */
  const refused: string[] = [];
  let going = true;
  let count = 0;
  const working = Array.from({ length: clients }, async () => {
    while (going) {
      count += 1;
      const note = `${name}-${count}`;
      try {
        const { status } = await vote(address, note, { agent, headers: { 'x-note': note } });
        if (status === 200) acknowledged.push(note);
        else refused.push(`${status} ${note}`);
      } catch {
        // The server is gone, or closed this connection.
        if (going) await sleep(2);
      }
    }
  });
  return {
    acknowledged,
    refused,
    async stop() {
      going = false;
      await Promise.all(working);
      agent.destroy();
    },
  };
}

/** Resolves once `holds` is true. */
export async function until(holds: () => boolean | Promise<boolean>, patienceMs = 15_000): Promise<void> {
  for (const end = performance.now() + patienceMs; !(await holds()); await sleep(5)) {
    if (performance.now() > end) throw new Error(`This never became so: ${holds}`);
  }
}

/** Fails unless every acknowledged vote is in the log, and none is there twice. */
export function assertKept(acknowledged: readonly string[], logs: readonly string[]): void {
  const found = logs.flatMap(notesIn);
  const kept = new Set(found);
  assert.equal(
    acknowledged.filter((note) => !kept.has(note)),
    [],
    'acknowledged, but missing',
  );
  assert.is(kept.size, found.length, 'a vote is there twice');
}

/** Fails unless the answer is an Error object with this status and code. */
export function assertError({ status, headers, text }: Answer, expected: number, code: string): void {
  assert.is(status, expected, text);
  assert.is(headers['content-type'], 'application/json', text);
  const value = JSON.parse(text) as Record<string, unknown>;
  assert.equal(Object.keys(value), ['error', 'message']);
  assert.is(value.error, code, text);
  assert.ok(typeof value.message === 'string' && value.message.length > 10, text);
}

/** A raw answer, taken apart. */
export function parseAnswer(raw: string): Answer {
  const end = raw.indexOf('\r\n\r\n');
  const [first = '', ...lines] = raw.slice(0, Math.max(0, end)).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const text = end === -1 ? '' : raw.slice(end + 4);
  return { status: Number(first.split(' ')[1]), headers, text, body: Buffer.from(text, 'latin1'), ms: 0 };
}
