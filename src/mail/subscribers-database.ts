import { DatabaseUnavailable, retrying } from '../storage/database.ts';
import type { Database } from '../storage/postgres.ts';
import { ProviderFailed, secretsOf } from './calls.ts';
import type { MailKey } from './consent.ts';
import {
  mailboxOf,
  type StoredSubscription,
  type SubscriberProvider,
  type Subscription,
  type SubscriptionStore,
} from './provider.ts';

/** Stores subscriptions in a database, where several servers can share them. */
export function openSubscriberDatabase(database: Database): SubscriberProvider {
  const provider = 'database';
  return {
    name: provider,
    subscriptions: databaseSubscriptions(database),
    async add(subscription) {
      try {
        // If a connection breaks, nobody knows whether it was stored. Its id makes sure that it is stored once.
        await retrying(database, () => insert(database, subscription));
        return 'accepted';
      } catch (error) {
        const secrets = secretsOf(subscription.email, subscription.note);
        const isLogged = error instanceof DatabaseUnavailable && error.isLogged;
        throw new ProviderFailed({ provider, reason: 'storage', isLogged, error, secrets });
      }
    },
    // The statement needs the same rights on the same table as one with a subscription.
    check: async () => void (await database.query(`${insertion} WHERE false ON CONFLICT (id) DO NOTHING`, nothing)),
  };
}

const insertion = `INSERT INTO catalog_subscriptions
  (id, time, email, address, list, note, form, pending, confirmed, unsubscribed)
  SELECT $1::text, $2::timestamptz, $3::text, $4::text, $5::text, $6::text, $7::text, $8::boolean,
    $9::timestamptz, $10::timestamptz`;
const nothing = Array(10).fill(null);

/** Adds a subscription unless its id is known, and returns whether it did. PostgreSQL stores no NUL. */
async function insert(database: Database, subscription: StoredSubscription): Promise<boolean> {
  const { id, time, email, list, note, form, pending, confirmed, unsubscribed } = subscription;
  const values = [id, time, email, email.toLowerCase(), list, note?.replaceAll('\0', '\uFFFD'), form, pending === true];
  const all = [...values, confirmed, unsubscribed].map((value) => value ?? null);
  return (await database.query(`${insertion} ON CONFLICT (id) DO NOTHING RETURNING 1`, all)).length === 1;
}

interface Row extends Pick<Subscription, 'id' | 'email' | 'list'> {
  time: Date;
  note: string | null;
  form: string | null;
  pending: boolean;
  confirmed: Date | null;
  unsubscribed: Date | null;
}

/** The columns of the table that `find` compares. */
const columns = { id: 'id', email: 'address', list: 'list' } as const;

/** The subscriptions in a database, for servers and commands. */
export function databaseSubscriptions(database: Database) {
  const store: SubscriptionStore = {
    async find(criterion) {
      if ('mailbox' in criterion) {
        const { mailbox, domains } = mailboxOf(criterion.mailbox);
        const where = "WHERE split_part(address, '@', 2) = ANY($2) AND left(address, 1) = $1";
        const near = await select(database, where, [mailbox.slice(0, 1), domains]);
        return near.filter(({ email }) => mailboxOf(email).mailbox === mailbox);
      }
      const [[key, value]] = Object.entries(criterion) as [[keyof typeof columns, string]];
      return select(database, `WHERE ${columns[key]} = $1`, [key === 'email' ? value.toLowerCase() : value]);
    },
    async mark(id, event, time) {
      if (event === 'unsent')
        return void (await database.query('UPDATE catalog_subscriptions SET pending = false WHERE id = $1', [id]));
      const which =
        event === 'confirmed'
          ? 'id = $1 AND unsubscribed IS NULL'
          : '(address, list) IN (SELECT address, list FROM catalog_subscriptions WHERE id = $1)';
      const text = `UPDATE catalog_subscriptions SET ${event} = $2 WHERE ${event} IS NULL AND ${which}`;
      await database.query(text, [id, time]);
    },
    async suppressions() {
      const rows = await database.query<{ hash: string; time: Date }>('SELECT hash, time FROM catalog_suppressions');
      return new Map(rows.map(({ hash, time }) => [hash, time.toISOString()]));
    },
    async suppress(hash, time) {
      const text = `INSERT INTO catalog_suppressions (hash, time) VALUES ($1, $2)
        ON CONFLICT (hash) DO UPDATE SET time = greatest(catalog_suppressions.time, excluded.time)`;
      await database.query(text, [hash, time]);
    },
  };
  return {
    ...store,
    /** Returns all subscriptions, in the order in which they were stored. */
    all: () => select(database, '', []),
    /**
     * Adds subscriptions and suppressed addresses, and returns how many subscriptions are new. One that the database has gets the
     * outcome that it lacks: its reader may have confirmed or left since an earlier import.
     */
    async import(subscriptions: readonly StoredSubscription[], suppressions: ReadonlyMap<string, string>) {
      // First: if the import is interrupted, nobody who left gets another email.
      for (const [hash, time] of suppressions) await store.suppress(hash, time);
      let added = 0;
      const outcome = `UPDATE catalog_subscriptions SET confirmed = coalesce(confirmed, $2::timestamptz),
        unsubscribed = coalesce(unsubscribed, $3::timestamptz) WHERE id = $1`;
      for (const subscription of subscriptions) {
        const { id, confirmed = null, unsubscribed = null } = subscription;
        if (await insert(database, subscription)) added += 1;
        else if (confirmed ?? unsubscribed) await database.query(outcome, [id, confirmed, unsubscribed]);
      }
      return added;
    },
    /**
     * Removes all subscriptions of an address, and returns how many there were. With the key of emails, it also suppresses the
     * address. Servers do not have the right to do so.
     */
    async erase(address: string, key: MailKey | null): Promise<number> {
      const email = address.trim();
      // First: if this command is interrupted, the next run may find no subscription that says whom to suppress.
      if (key !== null && (await store.find({ email })).length > 0)
        await store.suppress(key.addressHash(email), new Date().toISOString());
      const text = 'DELETE FROM catalog_subscriptions WHERE address = $1 RETURNING 1';
      return (await database.query(text, [email.toLowerCase()])).length;
    },
  };
}

async function select(
  database: Database,
  where: string,
  values: readonly (string | readonly string[])[],
): Promise<StoredSubscription[]> {
  const text = `SELECT id, time, email, list, note, form, pending, confirmed, unsubscribed
    FROM catalog_subscriptions ${where} ORDER BY position`;
  const rows = await database.query<Row>(text, values);
  return rows.map(({ id, time, email, list, note, form, pending, confirmed, unsubscribed }) => ({
    ...{ id, time: time.toISOString(), email, list },
    ...(note !== null && { note }),
    ...(form !== null && { form }),
    ...(pending && { pending }),
    ...(confirmed !== null && { confirmed: confirmed.toISOString() }),
    ...(unsubscribed !== null && { unsubscribed: unsubscribed.toISOString() }),
  }));
}
