/**
 * Returns the element at the index modulo the length.
 * @throws Error if the list is empty
 */
export function nth<T>(list: readonly T[], index: number): T {
  for (const element of list.slice(index % list.length)) return element;
  throw new Error("the list is empty");
}
