/**
 * Returns whether two texts differ only in case. For texts inside one process: the database itself folds what its
 * unique indexes compare (docs/decisions/047). A final sigma equals other sigmas, and texts with the same upper case
 * are equal.
 */
export function areAlikeButForCase(one: string, other: string): boolean {
  return (
    one === other ||
    one.toLowerCase() === other.toLowerCase() ||
    one.toUpperCase() === other.toUpperCase()
  );
}
