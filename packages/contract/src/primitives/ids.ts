/** Ranges of the columns that hold IDs. */

/** The largest value of an `integer` column: accounts, channels, groups, scheduled messages … */
export const maxId = 2_147_483_647;

/** The largest ID of a message or an event (`bigint`, held in JavaScript numbers). */
export const maxLongId = Number.MAX_SAFE_INTEGER;

/**
 * Returns `id`, or 0, which is never used, when it is outside 1…`max`: such an ID is unknown, and the database would
 * refuse the query.
 */
export function knowableId(id: number, max: number = maxId): number {
  return id >= 1 && id <= max ? id : 0;
}
