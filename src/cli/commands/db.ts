import type { Console } from '../console.ts';
import { type CatalogCommand, requiredDatabase } from '../options.ts';

interface Flags {
  grant?: string;
}

export function addDb(program: CatalogCommand, terminal: Console): void {
  const db = program.command('db').description('prepare a PostgreSQL database for several servers');
  db.command('migrate')
    .description('create the tables in DATABASE_URL, or bring them up to date')
    .option('--grant <role>', 'also give this role the rights that the server needs, and no others')
    .explain(
      '\nRun it after each upgrade, before you start the servers. It changes nothing if the tables are up to date, and several\n' +
        'runs at once do no harm. DATABASE_URL must name a role that owns the tables; the servers need fewer rights.\n' +
        '\nExamples:\n  $ DATABASE_URL=postgres://owner@db.example/catalog catalog db migrate --grant catalog_server\n',
    )
    .action((flags: Flags) => migrateTables(flags, terminal));
}

async function migrateTables({ grant }: Flags, terminal: Console): Promise<void> {
  const url = requiredDatabase();
  const { grantServer, migrate } = await import('../../storage/postgres.ts');
  const applied = await migrate(url);
  terminal.say(applied.length === 0 ? 'The tables are up to date.\n' : `Applied ${applied.join(', ')}.\n`);
  if (grant === undefined) return;
  await grantServer(url, grant);
  terminal.say(`${grant} has the rights of a server.\n`);
}
