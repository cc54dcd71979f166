/** Groups items by keys, of which each item has any number. Groups and items keep their order. */
export function groupBy<Item, Key>(items: readonly Item[], keysOf: (item: Item) => readonly Key[]): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    for (const key of keysOf(item)) {
      const members = groups.get(key);
      if (members === undefined) groups.set(key, [item]);
      else members.push(item);
    }
  }
  return groups;
}
