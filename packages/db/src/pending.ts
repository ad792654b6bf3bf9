/** Values of `scheduled_messages.kind`. */
export const scheduledKind = { sendLater: 1, reminder: 2 } as const;

/**
 * The condition, in SQL, that a row of `scheduled_messages` is not sent yet, whether or not it has failed: what its
 * sender sees (scheduled-messages.md §3).
 * @param table its alias
 */
export function undelivered(table: string): string {
  return `NOT ${table}.delivered AND ${table}.kind = ${scheduledKind.sendLater}`;
}

/**
 * The condition that a row of `scheduled_messages` is to be sent at its time. Everybody who looks for such rows takes it
 * from here: who saw other rows than the delivery claims would set alarms for them again and again. The partial indexes repeat it.
 * @param table its alias
 */
export function pending(table: string): string {
  return `${undelivered(table)} AND NOT ${table}.failed`;
}
