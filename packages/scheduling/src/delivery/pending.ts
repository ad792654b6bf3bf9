/** Values of `scheduled_messages.kind`. */
export const scheduledKind = { sendLater: 1, reminder: 2 } as const;

/** One of {@link scheduledKind}. */
export type ScheduledKind = (typeof scheduledKind)[keyof typeof scheduledKind];

/**
 * Returns the SQL condition that a row of `scheduled_messages` has not been sent, failed or not: the rows that its
 * account sees (scheduled-messages.md §3, §8).
 * @param table its alias
 * @param kind SQL for the only kind that counts; both kinds unless given
 */
export function undelivered(table: string, kind?: string): string {
  const ofAnyKind = `NOT ${table}.delivered`;
  return kind === undefined ? ofAnyKind : `${ofAnyKind} AND ${table}.kind = ${kind}`;
}

/**
 * Returns the SQL condition that a row of `scheduled_messages`, message or reminder, is to be sent at its time. Every
 * statement that looks for such rows uses it: a statement that found rows which the delivery does not claim would add
 * delivery jobs for them endlessly. The partial indexes repeat it.
 * @param table its alias
 */
export function pending(table: string): string {
  return `${undelivered(table)} AND NOT ${table}.failed`;
}

/**
 * Returns the SQL condition that a row counts towards the bound of its account (http-contract.md §8.1): the planned
 * occurrence of a series does not. An index has all its columns, so that counting reads no rows.
 * @param table its alias
 */
export function countsTowardsBound(table: string): string {
  return `${undelivered(table)} AND (${table}.series_id IS NULL OR ${table}.detached)`;
}

/**
 * Failed batches after which a row of `scheduled_messages` is tried alone, after all others. The partial index for such rows
 * also has those with three failed batches.
 */
export const batchTries = 4;

/**
 * Returns the SQL condition that a row may be in a batch with others.
 * @param table its alias
 */
export function mayShareBatch(table: string): string {
  return `${table}.attempts < ${batchTries}`;
}

/**
 * Returns the SQL condition that a row must be tried singly, and may be tried now.
 * @param table its alias
 */
export function needsSingleTry(table: string): string {
  return `${table}.attempts >= ${batchTries} AND ${table}.retry_at <= now()`;
}
