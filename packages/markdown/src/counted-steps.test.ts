/** Methods whose calls count as one step, and those that walk over a list, which count as many as it has entries. */
const single: readonly [object, readonly string[]][] = [
  [String.prototype, ["charAt", "charCodeAt", "codePointAt", "slice"]],
  [RegExp.prototype, ["exec", "test"]],
  [Map.prototype, ["get", "has"]],
  [Set.prototype, ["has"]],
];
const walking = ["includes", "indexOf", "find", "findIndex", "some", "every"];

/** How many steps `work` takes, the same on every machine: what regular expressions do inside is not seen. */
export function countSteps(work: () => void): number {
  let steps = 0;
  const restore: (() => void)[] = [];
  const watch = (owner: object, name: string, cost: (self: { length: number }) => number): void => {
    const own = Object.getOwnPropertyDescriptor(owner, name)!;
    const method = own.value as (this: unknown, ...args: unknown[]) => unknown;
    restore.push(() => Object.defineProperty(owner, name, own));
    Object.defineProperty(owner, name, {
      ...own,
      value(this: { length: number }, ...args: unknown[]) {
        steps += cost(this);
        return method.apply(this, args);
      },
    });
  };
  try {
    for (const [owner, names] of single) for (const name of names) watch(owner, name, () => 1);
    for (const name of walking) watch(Array.prototype, name, ({ length }) => length);
    work();
  } finally {
    for (const back of restore) back();
  }
  return steps;
}
