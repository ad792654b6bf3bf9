/**
 * Returns a number with its noun, such as `1 person` and `2 people`.
 * @param many the plural; default: `one` with an "s"
 */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
