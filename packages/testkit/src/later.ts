/**
 * Returns a proxy for an object that a `before` hook creates, usable inside hooks and tests.
 * @param what its name in the error for use outside hooks and tests
 */
export function later<T extends object>(
  what: string,
): { value: T; set: (made: T | undefined) => void } {
  let made: T | undefined;
  const there = (): T => {
    if (!made) throw new Error(`${what} is there only while hooks and tests run`);
    return made;
  };
  const value = new Proxy({} as T, {
    get(_target, key) {
      const member: unknown = Reflect.get(there(), key);
      return typeof member === "function" ? member.bind(there()) : member;
    },
    has: (_target, key) => Reflect.has(there(), key),
  });
  return { value, set: (given) => (made = given) };
}
