import type { Database } from '../database/connections.ts';

/** Returns the secret of a UTC day, which all servers share. The first server to ask makes it and deletes older ones. */
export function sharedSecret(database: Database, random: (bytes: number) => Buffer): (day: string) => Promise<Buffer> {
  let current: { day: string; secret: Buffer } | undefined;
  return async (day) => {
    if (current?.day === day) return current.secret;
    const make = 'INSERT INTO catalog_voter_secrets (day, secret) VALUES ($1, $2) ON CONFLICT (day) DO NOTHING';
    await database.query(make, [day, random(32)]);
    await database.query('DELETE FROM catalog_voter_secrets WHERE day < $1', [day]);
    const find = 'SELECT secret FROM catalog_voter_secrets WHERE day = $1';
    const [row] = await database.query<{ secret: Buffer }>(find, [day]);
    if (row === undefined) throw new Error(`Another server has deleted the secret of ${day}; compare the clocks.`);
    current = { day, secret: row.secret };
    return row.secret;
  };
}
