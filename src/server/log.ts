import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import pino, { type DestinationStream } from 'pino';
import { orElse } from '../lib/errors.ts';
import { visible } from '../lib/text.ts';
import { painter } from '../schema/diagnostics/report.ts';

type Fields = Record<string, unknown>;

/** The colors of levels; others are dim. */
const colors: Record<string, Parameters<ReturnType<typeof painter>>[0]> = {
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
};

/**
 * Formats a JSON line of the server's log for a terminal: time of day, level unless it is `info`, message and fields.
 * Control characters in texts of readers are made visible.
 */
export function prettyLine(json: string, { color }: { color: boolean }): string {
  const fields = orElse(() => JSON.parse(json) as Fields, null);
  if (fields === null) return `${visible(json)}\n`;
  const { level, time, pid, hostname, msg, err, ...rest } = fields;
  const paint = painter(color);
  const name = pino.levels.labels[Number(level)] ?? 'info';
  const mark = name === 'info' ? '' : `${paint(colors[name] ?? 'dim', name)} `;
  const what = msg === 'request' ? requestText(rest) : [visible(String(msg ?? '')), ...fieldTexts(rest)].join('  ');
  return `${paint('dim', clock(Number(time)))} ${mark}${what}\n${errorText(err)}`;
}

function requestText({ method, path, status, ms, ...rest }: Fields): string {
  return [visible(`${status} ${method} ${path}`), `${ms} ms`, ...fieldTexts(rest)].join('  ');
}

function fieldTexts(fields: Fields): string[] {
  return Object.entries(fields).map(([key, value]) =>
    visible(`${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`),
  );
}

function errorText(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { stack, message } = error as { stack?: unknown; message?: unknown };
  const lines = String(stack ?? message ?? JSON.stringify(error)).split('\n');
  return lines.map((line) => `    ${visible(line)}\n`).join('');
}

function clock(time: number): string {
  return new Date(Number.isFinite(time) ? time : Date.now()).toTimeString().slice(0, 8);
}

const key = Symbol('request id');

/** Tells the processes of all servers apart. */
const ofProcess = randomBytes(6).toString('base64url');
let count = 0;

/**
 * Returns the id of a request, for the log: letters, digits and `_.:-`. It is the `X-Request-Id` of a trusted proxy, if
 * there are `hops` proxies and the header has a usual form, and otherwise a new one. Later calls return the same.
 */
export function requestId(request: IncomingMessage & { [key]?: string }, hops = 0): string {
  // On the request itself: a WeakMap with every request would cost the garbage collector more than the rest of the line.
  request[key] ??= (hops > 0 ? proxyId(request) : undefined) ?? `${ofProcess}-${(++count).toString(36)}`;
  return request[key];
}

function proxyId({ headers }: IncomingMessage): string | undefined {
  const header = headers['x-request-id'];
  return typeof header === 'string' && /^[\w.:-]{8,128}$/.test(header) ? header : undefined;
}

/** The log of a server: pino for events, and a preformatted line for each request, which takes a quarter of pino's time. */
export type ServerLog = ReturnType<typeof serverLog>;

/** Where the lines of the log are written. */
interface LogDestination {
  write(line: string): unknown;
  flushSync(): void;
}

/** How long lines may be buffered, in milliseconds, and how many characters. */
const flushMs = 100;
const holdLength = 32_768;
/** How many bytes are buffered while stdout is blocked. Later lines are lost. */
const maxHeldBytes = 1_048_576;

/** Logs at `level` and above, as JSON lines, to stdout unless another destination is given. */
export function serverLog(level: string, destination: LogDestination = lastingDestination()) {
  const log = pino({ level }, destination as DestinationStream);
  const isLogged = {
    info: log.isLevelEnabled('info'),
    warn: log.isLevelEnabled('warn'),
    error: log.isLevelEnabled('error'),
  };
  const fixed = `"pid":${process.pid},"hostname":${JSON.stringify(hostname())}`;
  return {
    log,
    /** Writes the line of a request that was answered. `path` is the requested one, without the query; `ms` is how long it took. */
    request(request: IncomingMessage, response: ServerResponse, path: string, ms: number): void {
      const level = levelOf(response.statusCode);
      if (!isLogged[level]) return;
      destination.write(
        `{"level":${pino.levels.values[level]},"time":${Date.now()},${fixed},"request":"${requestId(request)}","method":"${request.method}","path":${JSON.stringify(withoutAddress(path))},` +
          `"status":${response.statusCode},"ms":${Math.round(ms)},"msg":"request"}\n`,
      );
    },
    /** Writes all buffered lines. */
    flush: () => destination.flushSync(),
  };
}

/** Stdout as text lines for a person at a terminal, in color if `color` is set. */
export function terminalDestination(terminal: { color: boolean }): LogDestination {
  return { write: (line) => process.stdout.write(prettyLine(line, terminal)), flushSync() {} };
}

/**
 * Stdout. If it cannot be written, such as a file on a full disk, lines are lost and the server continues.
 *
 * Lines are collected here, since pino's destination measures everything that it holds whenever it gets a line.
 */
function lastingDestination(): LogDestination {
  const stdout = pino.destination({ dest: 1, sync: false, maxLength: maxHeldBytes, contentMode: 'buffer' });
  let failing = false;
  stdout.on('error', () => {
    failing = true;
  });
  stdout.on('write', () => {
    failing = false;
  });
  // Pino also calls this when the process ends, and would retry endlessly.
  const { flushSync } = stdout;
  stdout.flushSync = () => {
    if (!failing) flushSync.call(stdout);
  };
  let held = '';
  const pass = () => {
    // For a text, the destination would compute the length in bytes first.
    if (held !== '') stdout.write(Buffer.from(held) as unknown as string);
    held = '';
  };
  setInterval(pass, flushMs).unref();
  return {
    write(line) {
      held += line;
      if (held.length >= holdLength) pass();
    },
    flushSync() {
      pass();
      stdout.flushSync();
    },
  };
}

/** 500 is an error; 502 and 503, when a disk or a provider fails, are warnings. */
function levelOf(status: number): 'info' | 'warn' | 'error' {
  if (status < 500) return 'info';
  return status === 500 ? 'error' : 'warn';
}

/** Cuts a client-supplied path to 300 characters, and hides anything in it that looks like an email address. */
function withoutAddress(path: string): string {
  const short = path.length > 300 ? `${path.slice(0, 300)}…` : path;
  return short.includes('@') || short.includes('%40') ? short.replace(/[^/]*(?:@|%40)[^/]*/g, '[hidden]') : short;
}
