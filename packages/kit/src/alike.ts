/**
 * Whether two texts differ in case only. It is for comparing what one process has in its hands: what a unique index of the
 * database compares is folded by the database (docs/decisions/047). A sigma at the end of a word and one within it are
 * alike, and so are all texts that have the same upper case.
 */
export function areAlikeButForCase(one: string, other: string): boolean {
  return (
    one === other ||
    one.toLowerCase() === other.toLowerCase() ||
    one.toUpperCase() === other.toUpperCase()
  );
}
