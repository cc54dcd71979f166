import { readFile } from 'node:fs/promises';
import { execSql, type Postgres, startPostgres } from './postgres.ts';
import { type Runtime, type RuntimeOptions, withRuntime } from './server.ts';

/** A place where servers store things, for tests that hold for each of them. */
export interface TestStore {
  name: string;
  /** Runs `use` with a server of this process that stores everything there. */
  withRuntime(options: RuntimeOptions, use: (runtime: StoredRuntime) => Promise<void>): Promise<void>;
}

export interface StoredRuntime extends Runtime {
  /** The notes of all votes, in the order in which they were stored. */
  notes(): Promise<string[]>;
}

let postgres: Promise<Postgres> | undefined;

/** Every kind of store. Files that use them call `stopStores` at the end. */
export const stores: readonly TestStore[] = [
  {
    name: 'in files',
    withRuntime: (options, use) =>
      withRuntime(options, (runtime) => {
        const lines = async () => (await readFile(runtime.log, 'utf8')).split('\n').filter((line) => line !== '');
        return use({ ...runtime, notes: async () => (await lines()).map((line) => JSON.parse(line).note) });
      }),
  },
  {
    name: 'in PostgreSQL',
    async withRuntime({ env, ...options }, use) {
      postgres ??= startPostgres();
      const DATABASE_URL = await (await postgres).database();
      await withRuntime({ ...options, env: { ...env, DATABASE_URL } }, (runtime) => {
        const rows = () => execSql(DATABASE_URL, 'SELECT note FROM catalog_votes ORDER BY position');
        return use({ ...runtime, notes: async () => (await rows()).map(({ note }) => String(note)) });
      });
    },
  },
];

/** Ends the servers that the stores started. */
export async function stopStores(): Promise<void> {
  await (await postgres)?.stop();
  postgres = undefined;
}
