import type { Tx } from "@carillon/db";
import type { Alarm, AlarmClock } from "@carillon/jobs";

export type { Alarm, AlarmClock } from "@carillon/jobs";

/** Sets the alarm once the transaction has committed. */
export function alarmAfterCommit(tx: Tx, clock: AlarmClock, alarm: Alarm): void {
  tx.afterCommit(() => clock.set(alarm));
}
