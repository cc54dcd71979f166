import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
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
  /** All subscriptions, in the same order. */
  subscriptions(): Promise<{ email: string; list: string; note?: string | null }[]>;
}

let postgres: Promise<Postgres> | undefined;

/** Every kind of store. Files that use them call `stopStores` at the end. */
export const stores: readonly TestStore[] = [
  {
    name: 'in files',
    withRuntime: (options, use) =>
      withRuntime(options, (runtime) => {
        const lines = async (file: string) => {
          const text = await readFile(file, 'utf8');
          return text
            .split('\n')
            .filter((line) => line !== '')
            .map((line) => JSON.parse(line));
        };
        return use({
          ...runtime,
          notes: async () => (await lines(runtime.log)).map(({ note }) => note),
          subscriptions: () => lines(join(runtime.data, 'signups.jsonl')),
        });
      }),
  },
  {
    name: 'in PostgreSQL',
    async withRuntime({ env, ...options }, use) {
      postgres ??= startPostgres();
      const DATABASE_URL = await (await postgres).database();
      await withRuntime({ ...options, env: { ...env, DATABASE_URL } }, (runtime) => {
        const rows = (columns: string, table: string) =>
          execSql(DATABASE_URL, `SELECT ${columns} FROM ${table} ORDER BY position`) as Promise<never[]>;
        return use({
          ...runtime,
          notes: async () => (await rows('note', 'catalog_votes')).map(({ note }) => note),
          subscriptions: () => rows('email, list, note', 'catalog_subscriptions'),
        });
      });
    },
  },
];

/** Ends the servers that the stores started. */
export async function stopStores(): Promise<void> {
  await (await postgres)?.stop();
  postgres = undefined;
}
