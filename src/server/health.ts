import type { Logger } from 'pino';
import type { Middleware, Response } from 'polka';
import type { SubscriberStore } from '../mail/provider.ts';
import type { VoteStore } from '../storage/vote.ts';
import { answerReadPreflight, refuseMethod } from './errors.ts';
import type { BuildFollower } from './live-build.ts';
import type { Route } from './target.ts';

/** One thing that the server needs to do all of its work. */
interface HealthCheck {
  /** Its key in `checks` of /readyz. */
  name: string;
  /** Resolves if it works. The reason of a rejection is logged but never sent. */
  check(): Promise<void>;
}

/** The body of /readyz: which checks pass. */
interface Readiness {
  ready: boolean;
  checks: Record<string, 'ok' | 'failing'>;
}

/** How long a result is reused, in milliseconds, so that frequent requests do not load the disk. */
const reuseMs = 1_000;

/** How long a check may take, in milliseconds, so that a disk that hangs fails it. */
const patienceMs = 3_000;

export interface HealthParts {
  follower: BuildFollower;
  votes: Pick<VoteStore, 'check'>;
  subscribers: Pick<SubscriberStore, 'check'>;
  log: Logger;
  /** Whether the server is about to stop. @default never */
  isStopping?: (() => boolean) | undefined;
}

/** The routes for monitoring: whether the server runs, and whether it can store votes and subscriptions. */
export function healthRoutes({ follower, votes, subscribers, log, isStopping = () => false }: HealthParts): Route[] {
  const checks = readiness(
    [
      { name: 'votes', check: () => votes.check() },
      { name: 'subscribers', check: () => subscribers.check() },
    ],
    log,
  );
  const build = () => follower.current().info.id;
  return [
    ...readRoutes('/healthz', (_request, response) => send(response, 200, { status: 'ok', build: build() })),
    ...readRoutes('/readyz', async (_request, response) => {
      const { ready, checks: results } = await checks();
      const status = isStopping() ? 'stopping' : ready ? 'ok' : 'unavailable';
      send(response, status === 'ok' ? 200 : 503, { status, build: build(), checks: results });
    }),
  ];
}

function readRoutes(path: string, handler: Middleware): Route[] {
  return [
    ['GET', path, handler],
    ['OPTIONS', path, (_request, response) => answerReadPreflight(response)],
    ['ALL', path, (_request, response) => refuseMethod(response)],
  ];
}

function send(response: Response, status: number, value: object): void {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': body.length,
    'cache-control': 'no-store',
  });
  response.end(body);
}

/** Runs the checks and remembers the result for a second. Logs when a check begins to fail and when it passes again. */
function readiness(checks: readonly HealthCheck[], log: Logger): () => Promise<Readiness> {
  const failing = new Set<string>();
  let last: { at: number; result: Promise<Readiness> } | undefined;

  async function run({ name, check }: HealthCheck): Promise<void> {
    try {
      await inTime(check());
      if (failing.delete(name)) log.info({ check: name }, 'a health check passes again');
    } catch (error) {
      if (!failing.has(name)) log.error({ err: error, check: name }, 'a health check fails');
      failing.add(name);
    }
  }

  async function runAll(): Promise<Readiness> {
    await Promise.all(checks.map(run));
    return {
      ready: failing.size === 0,
      checks: Object.fromEntries(checks.map(({ name }) => [name, failing.has(name) ? 'failing' : 'ok'])),
    };
  }

  return () => {
    const now = performance.now();
    if (last === undefined || now - last.at > reuseMs) last = { at: now, result: runAll() };
    return last.result;
  };
}

async function inTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, failed) => {
    timer = setTimeout(() => failed(new Error(`The check took more than ${patienceMs} ms.`)), patienceMs);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
