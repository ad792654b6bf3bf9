/**
 * The element with the index, beginning anew after the last.
 * @throws Error when the list is empty
 */
export function nth<T>(list: readonly T[], index: number): T {
  for (const element of list.slice(index % list.length)) return element;
  throw new Error("the list is empty");
}
