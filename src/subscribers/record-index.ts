import type { StoredLine } from './line.ts';
import { mailboxOf, type SubscriptionRecord, type Wanted } from './provider.ts';

/** The subscriptions in the lines of a file, with what became of each. */
export class RecordIndex {
  /** All of them, in the order of the lines. */
  readonly all: SubscriptionRecord[] = [];
  readonly #byId = new Map<string, SubscriptionRecord>();
  readonly #byMailbox = new Map<string, SubscriptionRecord[]>();

  /** Adds the next line. What became of a subscription that was erased is ignored. */
  add(line: StoredLine): void {
    if (!('event' in line)) {
      const record = { ...line } as SubscriptionRecord;
      this.all.push(record);
      this.#byId.set(record.id, record);
      this.#ofMailbox(record.email).push(record);
      return;
    }
    const known = this.#byId.get(line.id);
    if (known === undefined) return;
    if (line.event === 'confirmed') {
      if (known.unsubscribed === undefined) known.confirmed ??= line.time;
    } else {
      for (const record of this.find({ email: known.email }))
        if (record.list === known.list) record.unsubscribed ??= line.time;
    }
  }

  /** As `find` of SubscriptionRecords. */
  find(wanted: Wanted): SubscriptionRecord[] {
    if ('id' in wanted) return [this.#byId.get(wanted.id)].filter((record) => record !== undefined);
    if ('mailbox' in wanted) return [...this.#ofMailbox(wanted.mailbox)];
    if ('list' in wanted) return this.all.filter(({ list }) => list === wanted.list);
    const address = wanted.email.toLowerCase();
    return this.#ofMailbox(address).filter(({ email }) => email.toLowerCase() === address);
  }

  #ofMailbox(address: string): SubscriptionRecord[] {
    const { mailbox } = mailboxOf(address);
    const known = this.#byMailbox.get(mailbox) ?? [];
    this.#byMailbox.set(mailbox, known);
    return known;
  }
}
