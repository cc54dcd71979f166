/** Groups items by keys, of which each item has any number. Groups and items keep their order. */
export function groupBy<Item, Key>(items: readonly Item[], keysOf: (item: Item) => readonly Key[]): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    for (const key of keysOf(item)) entry(groups, key, () => []).push(item);
  }
  return groups;
}

/** Returns the value of a key. If the map has none, it gets what `make` returns. */
export function entry<Key, Value>(map: Map<Key, Value>, key: Key, make: () => NoInfer<Value>): Value {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const made = make();
  map.set(key, made);
  return made;
}
