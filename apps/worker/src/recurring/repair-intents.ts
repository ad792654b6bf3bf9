import {
  countEnded,
  overdueIntents,
  resumeSuspended,
  stampIntents,
  stillPending,
  type EndedIntent,
  type OverdueIntent,
  intentPublications,
} from "@carillon/outbox";
import { intentJobs, longestSilence, sweep, type IntentDefinition } from "@carillon/jobs";
import type { JobPresence } from "@carillon/queue";

import type { WorkerServices } from "../services.ts";

interface CheckedIntent {
  readonly intent: OverdueIntent;
  readonly definition: IntentDefinition;
  readonly presence: JobPresence;
}

/**
 * Adds a new job for each pending intent whose job is missing in the queue or has failed permanently. Adds none while the
 * job is waiting or delayed. Counts a permanent failure as an attempt; an intent without attempts left becomes a dead
 * letter instead.
 * @param overdueMs skips intents that made progress less than this many milliseconds ago
 * @returns how many intents had lost their job, or had one that failed permanently
 */
export async function repairIntents(
  services: Pick<WorkerServices, "db" | "queues">,
  overdueMs: number,
): Promise<number> {
  const { db, queues } = services;
  const limits = { jobs: [...intentJobs.keys()], overdueMs, limit: sweep.bound.batch };
  const overdue = await overdueIntents(db, limits);
  const checked = await Promise.all(overdue.map((intent) => checkJob(queues, intent)));
  // A job updates its row before it ends, so this second read excludes jobs that ended between the two reads.
  const pending = await stillPending(
    db,
    checked.filter(({ presence }) => presence !== "to run").map(({ intent }) => intent),
  );
  const waiting = checked.filter(({ intent }) => pending.has(intent.intentId));
  const ended = waiting.filter(isGivenUp);
  const renewed = await countEnded(db, await Promise.all(ended.map((one) => endOf(queues, one))));
  const lost = waiting.filter(({ presence }) => presence === "absent");
  const added = [...lost.map(({ intent }) => intent), ...renewed];
  // Without a delay: the intents are overdue, so the pause before their next attempt has passed.
  await queues.publish(intentPublications(added));
  const present = checked.filter(({ presence }) => presence === "to run");
  await stampIntents(db, [...present.map(({ intent }) => intent), ...added]);
  return lost.length + ended.length;
}

/** Adds jobs for the intents of organizations that have been reactivated. @returns how many were added */
export async function resumeIntents(
  services: Pick<WorkerServices, "db" | "queues">,
): Promise<number> {
  const { db, queues } = services;
  const resumed = await resumeSuspended(db, sweep.bound.batch);
  await queues.publish(intentPublications(resumed));
  await stampIntents(db, resumed);
  return resumed.length;
}

async function checkJob(
  queues: WorkerServices["queues"],
  intent: OverdueIntent,
): Promise<CheckedIntent> {
  const definition = intentJobs.get(intent.job)!;
  const presence = await queues.queue(definition.queue).presence(definition.key(intent));
  return { intent, definition, presence };
}

/**
 * Returns whether the intent's job failed permanently. Its row must also have been unchanged for a while, because an older
 * release may have added a job with another id, which may still run.
 */
function isGivenUp({ intent, definition, presence }: CheckedIntent): boolean {
  return presence === "ended" && intent.quietMs > longestSilence(definition);
}

/** Returns how the intent's job has ended. Counts each crash of the job's worker as an attempt. */
async function endOf(
  queues: WorkerServices["queues"],
  { intent, definition }: CheckedIntent,
): Promise<EndedIntent> {
  const job = await queues.queue(definition.queue).job(definition.key(intent));
  return {
    intentId: intent.intentId,
    version: intent.version,
    attempts: Math.max(1, job?.stalls ?? 0),
    limit: definition.retry.attempts,
    reason: `its job ended without finishing it: ${job?.failure ?? "unknown error"}`,
  };
}
