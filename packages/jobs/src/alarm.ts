import { deliverDue, tooSoonMs, type DeliverDue } from "./definitions/deliver-due.ts";
import type { Publication } from "./job.ts";

/** When to look at an organization's due messages. The row is the truth; losing an alarm costs seconds. */
export interface Alarm {
  readonly realmId: number;
  readonly scheduledMessageId: number;
  /** Of the row; rises with each edit. */
  readonly version: number;
  /** UNIX seconds */
  readonly deliverAt: number;
}

/** Puts alarms into the queue, after the commit and in its own time. It never throws: the relay adds what it missed. */
export interface AlarmPublisher {
  set(alarm: Alarm): void;
}

/** Alarms are only kept in the queue for what is due within a day, in milliseconds; the relay feeds the rest. */
export const alarmHorizonMs = 24 * 3_600_000;

/**
 * The job that an alarm is. Messages of one second share one; what is due too soon has its own, because the alarm
 * of its second may be running, and a running alarm would swallow it.
 * @param now UNIX milliseconds, of the clock that the queue compares with
 * @param shared whether the job is that of its second; decided by `now` unless given
 */
export function alarmJob(
  alarm: Alarm,
  now: number,
  shared?: boolean,
): Publication<DeliverDue> & { readonly shared: boolean } {
  const { realmId, scheduledMessageId, version, deliverAt } = alarm;
  const delayMs = Math.max(0, deliverAt * 1_000 - now);
  const payload = { realmId, second: Math.floor(deliverAt) };
  const isShared = shared ?? delayMs >= tooSoonMs;
  return {
    job: deliverDue,
    payload: isShared ? payload : { ...payload, scheduledMessageId, version },
    delayMs,
    shared: isShared,
  };
}
