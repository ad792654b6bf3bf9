import {
  countEnded,
  overdueIntents,
  stampIntents,
  stillPending,
  type EndedIntent,
  type OverdueIntent,
  intentPublications,
} from "@carillon/outbox";
import { intentJobs, longestSilence, sweep, type IntentDefinition } from "@carillon/jobs";
import type { JobPresence } from "@carillon/queue";

import type { WorkerServices } from "../services.ts";

interface Look {
  readonly intent: OverdueIntent;
  readonly definition: IntentDefinition;
  readonly presence: JobPresence;
}

/**
 * Adds a job for every intent whose job the queue has lost, or has given up although the row still waits. It asks the
 * queue: a job that waits for its next attempt, or for its turn, is not lost. What was given up counts in the row, and
 * the row becomes a dead letter where that is too often.
 * @param overdueMs only intents that nothing was heard of for so long
 * @returns how many those are
 */
export async function repairIntents(
  services: Pick<WorkerServices, "db" | "queues">,
  overdueMs: number,
): Promise<number> {
  const { db, queues } = services;
  const limits = { jobs: [...intentJobs.keys()], overdueMs, limit: sweep.bound.batch };
  const overdue = await overdueIntents(db, limits);
  const looks = await Promise.all(overdue.map((intent) => lookAt(queues, intent)));
  // A job that ended between the two looks has ended its row before.
  const pending = await stillPending(
    db,
    looks.filter(({ presence }) => presence !== "to run").map(({ intent }) => intent),
  );
  const waiting = looks.filter(({ intent }) => pending.has(intent.intentId));
  const ended = waiting.filter(isGivenUp);
  const anew = await countEnded(db, await Promise.all(ended.map((look) => endOf(queues, look))));
  const lost = waiting.filter(({ presence }) => presence === "absent");
  const added = [...lost.map(({ intent }) => intent), ...anew];
  // They should have run by now: whatever pause they were to wait for is over.
  await queues.publish(intentPublications(added));
  const present = looks.filter(({ presence }) => presence === "to run");
  await stampIntents(db, [...present.map(({ intent }) => intent), ...added]);
  return lost.length + ended.length;
}

async function lookAt(queues: WorkerServices["queues"], intent: OverdueIntent): Promise<Look> {
  const definition = intentJobs.get(intent.job)!;
  const presence = await queues.queue(definition.queue).presence(definition.key(intent));
  return { intent, definition, presence };
}

/** One that has ended for good may be there under another id too, from an older release: that one is given its time. */
function isGivenUp({ intent, definition, presence }: Look): boolean {
  return presence === "ended" && intent.quietMs > longestSilence(definition);
}

/** Each time that its worker died under it counts as an attempt. */
async function endOf(
  queues: WorkerServices["queues"],
  { intent, definition }: Look,
): Promise<EndedIntent> {
  const job = await queues.queue(definition.queue).job(definition.key(intent));
  return {
    intentId: intent.intentId,
    version: intent.version,
    attempts: Math.max(1, job?.stalls ?? 0),
    limit: definition.retry.attempts,
    reason: `its job ended without doing it: ${job?.failure ?? "unknown error"}`,
  };
}
