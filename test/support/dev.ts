import { startDev } from '../../src/build/dev/preview.ts';
import type { Diagnostic } from '../../src/schema/diagnostics/diagnostic.ts';
import { serverLog } from '../../src/server/log.ts';
import { until } from './until.ts';

/** A preview of a catalog, as `catalog dev` serves it, in this process. */
export interface RunningPreview {
  /** Without a slash at its end. */
  address: string;
  /** What each update found, as `code file:line`. */
  updates: string[][];
  /** The codes with which it said that it checks files every second. */
  fallbacks: string[];
  logged(): string;
  close(): Promise<void>;
}

/**
 * Serves the catalog in `folder` on 2026-02-01, and waits until all of its files are watched. `onFirst` is called when they
 * were first read, and not watched yet.
 */
export async function startPreview(folder: string, poll = false, onFirst = () => {}): Promise<RunningPreview> {
  const updates: string[][] = [];
  const fallbacks: string[] = [];
  let logged = '';
  const log = serverLog('warn', {
    write(line) {
      logged += line;
    },
    flushSync() {},
  });
  const dev = await startDev({
    cwd: folder,
    today: '2026-02-01',
    port: '0',
    cache: null,
    environment: {},
    log,
    poll,
    onUpdate({ changes, errors }) {
      updates.push(errors.map(nameOf));
      if (changes === null) onFirst();
    },
    onFallback: (code) => fallbacks.push(code),
  });
  // The second update is the one after which nothing can be missed.
  await until(() => updates.length > 1);
  return {
    address: dev.address.replace(/\/$/, ''),
    updates,
    fallbacks,
    logged: () => logged,
    close: () => dev.close(),
  };
}

function nameOf({ code, file, line }: Diagnostic): string {
  return `${code} ${file}:${line}`;
}
