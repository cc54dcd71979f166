import { type Database, openDatabase } from './connections.ts';
import { explained, requireTables } from './migrate.ts';
import { DatabaseUnavailable } from './unavailable.ts';

/**
 * Runs `work` with a database, for a command. Throws OperationError with the reason if the database fails or lacks tables.
 */
export async function withDatabase<Result>(
  url: string,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  // A command may read everything, which takes as long as it takes.
  const database = openDatabase({ url, warn: () => {}, connections: 1, statementMs: 0 });
  try {
    await requireTables(database);
    return await work(database);
  } catch (error) {
    const isReported = (error as { severity?: string }).severity !== undefined;
    throw isReported || error instanceof DatabaseUnavailable ? explained(error) : error;
  } finally {
    await database.close();
  }
}
