import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import pino, { type DestinationStream, type Logger } from 'pino';
import { prettyLine } from './pretty-log.ts';
import { requestId } from './request-id.ts';

/** The log of a server: pino for events, and a preformatted line for each request, which takes a quarter of pino's time. */
export interface ServerLog {
  log: Logger;
  /** Writes the line of a request that was answered. `path` is the requested one, without the query. */
  request(request: IncomingMessage, response: ServerResponse, path: string, begun: number): void;
  /** Writes all buffered lines. */
  flush(): void;
}

/** Where the lines of the log are written. */
export interface LogDestination {
  write(line: string): unknown;
  flushSync(): void;
}

/** How long lines may be buffered, in milliseconds, and how many characters. */
const flushMs = 100;
const holdLength = 32_768;
/** How many bytes are buffered while stdout is blocked. Later lines are lost. */
const maxHeldBytes = 1_048_576;

/** Logs at `level` and above, as JSON lines, to stdout unless another destination is given. */
export function serverLog(level: string, destination: LogDestination = lastingDestination()): ServerLog {
  const log = pino({ level }, destination as DestinationStream);
  const isWanted = {
    info: log.isLevelEnabled('info'),
    warn: log.isLevelEnabled('warn'),
    error: log.isLevelEnabled('error'),
  };
  const fixed = `"pid":${process.pid},"hostname":${JSON.stringify(hostname())}`;
  return {
    log,
    request(request, response, path, begun) {
      const level = levelOf(response.statusCode);
      if (!isWanted[level]) return;
      const now = Date.now();
      destination.write(
        `{"level":${pino.levels.values[level]},"time":${now},${fixed},"request":"${requestId(request)}","method":"${request.method}","path":${JSON.stringify(withoutAddress(path))},` +
          `"status":${response.statusCode},"ms":${now - begun},"msg":"request"}\n`,
      );
    },
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
