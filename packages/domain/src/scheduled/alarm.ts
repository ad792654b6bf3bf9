import type { Tx } from "@carillon/db";

/** When to look at an organization's due messages. The row is the truth; losing an alarm costs seconds. */
export interface Alarm {
  readonly realmId: number;
  readonly scheduledMessageId: number;
  readonly version: number;
  /** UNIX seconds */
  readonly deliverAt: number;
}

/** Puts alarms into the queue, after the commit and in its own time. It never throws: the relay adds what it missed. */
export interface AlarmClock {
  set(alarm: Alarm): void;
}

/** Sets the alarm once the transaction has committed. */
export function alarmAfterCommit(tx: Tx, clock: AlarmClock, alarm: Alarm): void {
  tx.afterCommit(() => clock.set(alarm));
}
