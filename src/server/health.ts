import type { Logger } from 'pino';

/** One thing that the server needs for all of its work. */
export interface HealthCheck {
  /** The key under `checks` in the answer of /readyz. */
  name: string;
  /** Resolves while it works. The reason of a rejection is logged, and never sent. */
  check(): Promise<void>;
}

/** What /readyz says: which checks pass. */
export interface Readiness {
  ready: boolean;
  checks: Record<string, 'ok' | 'failing'>;
}

/** How long a result holds, in milliseconds, so that asking often costs the disk nothing. */
const holdMs = 1_000;

/** How long a check may take, in milliseconds: a disk that hangs fails it. */
const patienceMs = 3_000;

/**
 * Runs the checks and remembers the result for a second. A check that begins to fail, and one that passes again, is
 * logged once.
 */
export function readiness(checks: readonly HealthCheck[], log: Logger): () => Promise<Readiness> {
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
    if (last === undefined || now - last.at > holdMs) last = { at: now, result: runAll() };
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
