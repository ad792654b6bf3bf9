/**
 * Returns the element at an index that must exist.
 * @throws Error when the list is shorter
 */
export function nth<T>(list: readonly T[], index: number): T {
  if (index >= list.length) throw new Error(`a list of ${list.length} has no element ${index}`);
  return list[index] as T;
}
