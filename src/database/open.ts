import { type Database, type DatabaseOptions, openDatabase } from './connections.ts';
import { requireTables } from './migrate.ts';

/**
 * Opens a database for a server. It may be away; the server then answers everything that needs no database.
 *
 * Throws OperationError if the database refuses the server, or lacks tables.
 */
export async function openServerDatabase(options: DatabaseOptions): Promise<Database> {
  const database = openDatabase(options);
  try {
    await requireTables(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}
