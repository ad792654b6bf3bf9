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
 * Adds a job for every intent whose job the queue has lost, or has failed for good while the row is open. Reads the
 * queue: a job that waits for its next attempt, or in line, is not lost. A job that failed for good counts in the row, which
 * becomes a dead letter after too many.
 * @param overdueMs only intents without progress for this long
 * @returns how many jobs were added
 */
export async function repairIntents(
  services: Pick<WorkerServices, "db" | "queues">,
  overdueMs: number,
): Promise<number> {
  const { db, queues } = services;
  const limits = { jobs: [...intentJobs.keys()], overdueMs, limit: sweep.bound.batch };
  const overdue = await overdueIntents(db, limits);
  const looks = await Promise.all(overdue.map((intent) => lookAt(queues, intent)));
  // A job that ended between the two reads has ended its row before.
  const pending = await stillPending(
    db,
    looks.filter(({ presence }) => presence !== "to run").map(({ intent }) => intent),
  );
  const waiting = looks.filter(({ intent }) => pending.has(intent.intentId));
  const ended = waiting.filter(isGivenUp);
  const anew = await countEnded(db, await Promise.all(ended.map((look) => endOf(queues, look))));
  const lost = waiting.filter(({ presence }) => presence === "absent");
  const added = [...lost.map(({ intent }) => intent), ...anew];
  // They are overdue: any pause before their next attempt is over.
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

/** A job that failed for good may exist under another id too, from an older release, which may still run. */
function isGivenUp({ intent, definition, presence }: Look): boolean {
  return presence === "ended" && intent.quietMs > longestSilence(definition);
}

/** Each death of its worker counts as an attempt. */
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
    reason: `its job ended without finishing it: ${job?.failure ?? "unknown error"}`,
  };
}
