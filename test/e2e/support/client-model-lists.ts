/** An object in a response or an event. */
export type Item = Record<string, unknown>;

/** Adds an item. @throws Error if the list has it already */
export function addOnce(list: Item[], item: Item, key: string): void {
  if (list.some((each) => each[key] === item[key]))
    throw new Error(`${key} ${String(item[key])} was known already`);
  list.push(item);
}

/**
 * Removes the item and returns it.
 * @throws Error if the list does not have it
 */
export function take(list: Item[], key: string, value: unknown): Item {
  const index = list.findIndex((each) => each[key] === value);
  const [item] = index === -1 ? [] : list.splice(index, 1);
  if (!item) throw new Error(`${key} ${String(value)} was not known`);
  return item;
}

/** Returns the object without the given fields. */
export function without(item: Item, ...names: readonly string[]): Item {
  return Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));
}
