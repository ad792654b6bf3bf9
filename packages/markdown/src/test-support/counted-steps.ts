/** Methods whose calls count as one step; methods over a list or a text count as its length. */
const single: readonly [object, readonly string[]][] = [
  [String.prototype, ["charAt", "charCodeAt", "codePointAt", "slice"]],
  [RegExp.prototype, ["exec", "test"]],
  [Map.prototype, ["get", "has"]],
  [Set.prototype, ["has"]],
];
const walking: readonly [object, readonly string[]][] = [
  [Array.prototype, ["includes", "indexOf", "find", "findIndex", "some", "every"]],
  [
    String.prototype,
    ["match", "replace", "replaceAll", "search", "split", "toLowerCase", "trim", "trimEnd"],
  ],
];

/** Counts the steps of `work`, the same on every machine. Steps inside a regular expression are not counted. */
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
    for (const [owner, names] of walking)
      for (const name of names) watch(owner, name, ({ length }) => 1 + length);
    work();
  } finally {
    for (const back of restore) back();
  }
  return steps;
}
