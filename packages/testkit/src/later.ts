/**
 * A stand-in for something that a `before` hook makes: usable as if it were there, inside hooks and tests.
 * @param what names it in the error of a use that comes too early or too late
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
