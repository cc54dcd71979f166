import type { StoredLine } from './line.ts';
import type { SubscriptionRecord, SubscriptionRecords } from './provider.ts';

/** The subscriptions in the lines of a file, with what became of each. */
export class RecordIndex {
  /** All of them, in the order of the lines. */
  readonly all: SubscriptionRecord[] = [];
  readonly #byId = new Map<string, SubscriptionRecord>();
  readonly #byAddress = new Map<string, SubscriptionRecord[]>();

  /** Adds the next line. What became of a subscription that was erased is ignored. */
  add(line: StoredLine): void {
    if (!('event' in line)) {
      const record = { ...line } as SubscriptionRecord;
      this.all.push(record);
      this.#byId.set(record.id, record);
      this.#ofAddress(record.email).push(record);
      return;
    }
    const known = this.#byId.get(line.id);
    if (known === undefined) return;
    if (line.event === 'confirmed') {
      if (known.unsubscribed === undefined) known.confirmed ??= line.time;
    } else {
      for (const record of this.#ofAddress(known.email))
        if (record.list === known.list) record.unsubscribed ??= line.time;
    }
  }

  /** As `find` of SubscriptionRecords. */
  find(wanted: Parameters<SubscriptionRecords['find']>[0]): SubscriptionRecord[] {
    if ('id' in wanted) return [this.#byId.get(wanted.id)].filter((record) => record !== undefined);
    if ('email' in wanted) return [...(this.#byAddress.get(wanted.email.toLowerCase()) ?? [])];
    return this.all.filter(({ list }) => list === wanted.list);
  }

  #ofAddress(email: string): SubscriptionRecord[] {
    const key = email.toLowerCase();
    const known = this.#byAddress.get(key) ?? [];
    this.#byAddress.set(key, known);
    return known;
  }
}
