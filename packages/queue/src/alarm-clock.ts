import { stampAlarms, type Database } from "@carillon/db";
import { alarmHorizonMs, alarmJob, type Alarm, type AlarmClock } from "@carillon/jobs";
import { systemClock, type Clock, type Logger } from "@carillon/kit";

import type { Queues } from "./queues.ts";
import { within } from "./within.ts";

/** A request's alarms get this long to reach the queue, in milliseconds; then the relay has them. */
const capMs = 250;

/** Alarms in one go. */
const batch = 500;

/** Ids of alarms that this process has put into the queue: a second's alarm needs adding once. */
const remembered = 20_000;

export interface RunningAlarmClock extends AlarmClock {
  /** Alarms that did not reach the queue in time. */
  readonly missed: number;
  /** Resolves when everything that was set has been tried. */
  idle(): Promise<void>;
}

/**
 * Sets alarms right after the commit, many at once: while one batch is on its way the next one gathers. Nobody waits
 * for it, and a failure is only counted: the row stays without its stamp, and the relay adds its alarm.
 */
export function createAlarmClock(options: {
  queues: Queues;
  db: Database;
  log: Logger;
  clock?: Clock;
}): RunningAlarmClock {
  const { queues, db, log, clock = systemClock } = options;
  const known = new Set<string>();
  let waiting: Alarm[] = [];
  let missed = 0;
  let running: Promise<void> | undefined;

  async function ring(alarms: readonly Alarm[]): Promise<void> {
    const now = clock.now();
    const near = alarms.filter(({ deliverAt }) => deliverAt * 1_000 <= now + alarmHorizonMs);
    const fresh = new Map<string, ReturnType<typeof alarmJob>>();
    for (const alarm of near) {
      const job = alarmJob(alarm, now);
      const id = job.job.key(job.payload);
      if (!known.has(id)) fresh.set(id, job);
    }
    if (fresh.size > 0) {
      const published = await within(queues.publish([...fresh.values()]), capMs);
      if (!published) throw new Error(`the queue took longer than ${capMs} ms`);
      if (known.size > remembered) known.clear();
      for (const id of fresh.keys()) known.add(id);
    }
    await stampAlarms(db, near);
  }

  async function drain(): Promise<void> {
    // Let the requests that commit in this turn of the loop gather first.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const alarms = waiting.splice(0, batch);
      try {
        await ring(alarms);
      } catch (error) {
        missed += alarms.length;
        log.warn(
          { err: error, alarms: alarms.length },
          "alarms did not reach the queue; the relay adds them",
        );
      }
    }
    running = undefined;
  }

  return {
    get missed() {
      return missed;
    },
    set(alarm) {
      waiting.push(alarm);
      running ??= drain();
    },
    idle: async () => {
      while (running) await running;
    },
  };
}
