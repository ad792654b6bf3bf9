import type { Database } from "@carillon/db";
import {
  alarmHorizonMs,
  type Alarm,
  type AlarmPublisher,
  type DeliverDue,
  type JobPublisher,
  type Publication,
} from "@carillon/jobs";
import { systemClock, type Clock, type Logger } from "@carillon/kit";
import { gather, type Gatherer, publishInTime } from "@carillon/outbox";

import { publishAlarms } from "./publish-alarms.ts";

/** Ids of alarms that this process has put into the queue: a second's alarm needs adding once. */
const remembered = 20_000;
/** They are forgotten after so many milliseconds: a queue that has been emptied does not hold them any more. */
const rememberedMs = 60_000;

/**
 * Alarms go out in batches, one in so many milliseconds where many are set: a batch is two transactions however few it
 * has, and gateways would make one of each commit. Far less than what the relay leaves them ({@link createAlarmPublisher}).
 */
const pauseMs = 200;
/** What is due within so many milliseconds goes out at once. */
const urgentMs = 5_000;

export interface RunningAlarmPublisher
  extends AlarmPublisher, Pick<Gatherer<Alarm>, "missed" | "idle"> {}

/**
 * Sets alarms right after the commit. Nobody waits for it, and a failure is only counted: the row stays without its
 * stamp, and the relay adds its alarm.
 */
export function createAlarmPublisher(options: {
  queues: JobPublisher;
  db: Database;
  log: Logger;
  clock?: Clock;
}): RunningAlarmPublisher {
  const { queues, db, log, clock = systemClock } = options;
  const known = new Set<string>();
  let knownSince = clock.now();

  async function publish(alarms: readonly Alarm[]): Promise<void> {
    const now = clock.now();
    const near = alarms.filter(({ deliverAt }) => deliverAt * 1_000 <= now + alarmHorizonMs);
    if (known.size > remembered || Math.abs(now - knownSince) > rememberedMs) {
      known.clear();
      knownSince = now;
    }
    await publishAlarms(db, addFresh, near, now);
  }

  /** Adds jobs that this process has not added lately. */
  async function addFresh(jobs: ReadonlyArray<Publication<DeliverDue>>): Promise<void> {
    const fresh = new Map<string, Publication<DeliverDue>>();
    for (const job of jobs) {
      const id = job.job.key(job.payload);
      if (!known.has(id)) fresh.set(id, job);
    }
    if (fresh.size === 0) return;
    await publishInTime(queues, [...fresh.values()]);
    for (const id of fresh.keys()) known.add(id);
  }

  const gatherer = gather("alarms", log, publish, {
    pauseMs,
    isUrgent: ({ deliverAt }) => deliverAt * 1_000 < clock.now() + urgentMs,
  });

  return {
    get missed() {
      return gatherer.missed;
    },
    set: (alarm) => gatherer.add([alarm]),
    idle: () => gatherer.idle(),
  };
}
