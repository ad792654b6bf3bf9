/**
 * Returns whether two texts are equal or differ only in case. Not for values of unique indexes: the database folds
 * those itself, depending on its locale (docs/decisions/047). A final sigma equals other sigmas, and texts with the
 * same upper case are equal.
 */
export function areAlikeButForCase(one: string, other: string): boolean {
  return (
    one === other ||
    one.toLowerCase() === other.toLowerCase() ||
    one.toUpperCase() === other.toUpperCase()
  );
}
