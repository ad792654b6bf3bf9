/**
 * A look-up by key that gathers what is asked for in the same turn of the promises and loads it at once, so that the
 * number of statements does not grow with the number of askers.
 */
export function batched<Key, Value>(
  load: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
): (key: Key) => Promise<Value | undefined> {
  let waiting: { keys: Set<Key>; found: Promise<ReadonlyMap<Key, Value>> } | undefined;
  return async (key) => {
    if (!waiting) {
      const keys = new Set<Key>();
      const found = Promise.resolve().then(() => {
        waiting = undefined;
        return load([...keys]);
      });
      waiting = { keys, found };
    }
    waiting.keys.add(key);
    return (await waiting.found).get(key);
  };
}
