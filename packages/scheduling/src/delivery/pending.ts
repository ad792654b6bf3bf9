/** Values of `scheduled_messages.kind`. */
export const scheduledKind = { sendLater: 1, reminder: 2 } as const;

/** One of {@link scheduledKind}. */
export type ScheduledKind = (typeof scheduledKind)[keyof typeof scheduledKind];

/**
 * The condition, in SQL, that a row of `scheduled_messages` is not sent yet, whether or not it has failed: what its
 * account sees (scheduled-messages.md §3, §8).
 * @param table its alias
 * @param kind the one kind that is meant, in SQL; both unless given
 */
export function undelivered(table: string, kind?: string): string {
  const ofAnyKind = `NOT ${table}.delivered`;
  return kind === undefined ? ofAnyKind : `${ofAnyKind} AND ${table}.kind = ${kind}`;
}

/**
 * The condition that a row of `scheduled_messages`, message or reminder, is to be sent at its time. Everybody who looks
 * for such rows takes it from here: who saw other rows than the delivery claims would set alarms for them again and
 * again. The partial indexes repeat it.
 * @param table its alias
 */
export function pending(table: string): string {
  return `${undelivered(table)} AND NOT ${table}.failed`;
}

/** Failed batches after which a row of `scheduled_messages` is tried singly, behind all others. A partial index repeats it. */
export const batchTries = 3;

/**
 * The condition that a row may be in a batch with others.
 * @param table its alias
 */
export function mayShareBatch(table: string): string {
  return `${table}.attempts < ${batchTries}`;
}

/**
 * The condition that a row must be tried singly, and that its pause is over.
 * @param table its alias
 */
export function needsSingleTry(table: string): string {
  return `${table}.attempts >= ${batchTries} AND ${table}.retry_at <= now()`;
}
