import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { ServerLog } from '../server/request-log.ts';
import { serverSettings } from '../server/settings.ts';
import { startServer } from '../server/start.ts';
import { type Changes, everything, nothing } from './changes.ts';
import type { CatalogOptions } from './edited-catalog.ts';
import { devRules, PreviewServer } from './preview.ts';
import { lookAt, watchCatalog } from './watch.ts';

export interface DevOptions extends Omit<CatalogOptions, 'baseUrl'> {
  /** The port, as text; `0` for any free one. */
  port?: string | undefined;
  environment: NodeJS.ProcessEnv;
  log: ServerLog;
  /** Whether to compare files every second instead of asking the system for changes. */
  poll: boolean;
  /**
   * Is called after each update, with its errors and how long it took. `changes` is null for the first one. If not
   * `isComplete`, some checks follow in an update without changes.
   */
  onUpdate(update: { changes: Changes | null; errors: readonly Diagnostic[]; isComplete: boolean; ms: number }): void;
  onFallback(code: string): void;
}

export interface RunningDev {
  /** The address of the preview, with a slash at its end. */
  address: string;
  close(): Promise<void>;
}

/** How long nothing may change before what depends on all agents is checked and found again, in milliseconds. */
const idleMs = 1_000;

/**
 * Serves a catalog with its drafts and scheduled agents on this machine alone, and updates open pages when its files
 * change. Everything is rendered in memory. Votes and subscriptions are stored in a temporary folder.
 *
 * Rejects with UsageError if the port is none, and with OperationError if it is taken.
 */
export async function startDev(options: DevOptions): Promise<RunningDev> {
  const { port, environment, log, onUpdate } = options;
  const { PORT } = environment;
  const settingsIn = (folder: string) => serverSettings(port === undefined ? {} : { port }, { PORT }, folder);
  // A wrong port is an error before the folder exists.
  settingsIn(tmpdir());
  const data = mkdtempSync(join(tmpdir(), 'catalog-dev-'));
  const settings = settingsIn(data);
  let preview: PreviewServer | undefined;
  let timer: NodeJS.Timeout | undefined;

  function update(changes: Changes, isFirst = false): void {
    const begun = performance.now();
    try {
      const errors = preview?.update(changes) ?? [];
      const isComplete = preview?.isBehind !== true;
      onUpdate({ changes: isFirst ? null : changes, errors, isComplete, ms: performance.now() - begun });
    } catch (error) {
      // The next change may fix it, such as a file that was removed while it was read.
      log.log.error({ err: error }, 'the preview was not updated');
    }
    clearTimeout(timer);
    if (preview?.isBehind) timer = setTimeout(() => update(nothing), idleMs);
  }

  try {
    const since = lookAt(options.cwd);
    const server = await startServer(settings, {
      log,
      rules: devRules,
      follow: async (portInUse) => {
        preview = new PreviewServer({ ...options, baseUrl: `http://localhost:${portInUse}` });
        update(everything, true);
        return preview;
      },
      wrap: (handle) => (preview as PreviewServer).wrap(handle),
    });
    const endWatching = watchCatalog({
      ...options,
      since,
      onChange: (changes) => update(changes),
      onError: (error) => log.log.error({ err: error }, 'changes of some files may not be noticed'),
    });
    return {
      address: server.address,
      async close() {
        await endWatching();
        clearTimeout(timer);
        preview?.stop();
        await server.close();
        rmSync(data, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(data, { recursive: true, force: true });
    throw error;
  }
}
