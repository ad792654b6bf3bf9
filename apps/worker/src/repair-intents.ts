import { overdueIntents, stampIntents, stillPending, type OverdueIntent } from "@carillon/db";
import { intentJobs, longestSilence, type IntentDefinition } from "@carillon/jobs";
import type { JobPresence } from "@carillon/queue";

import type { WorkerServices } from "./services.ts";

/** Intents in one go. */
const limit = 1_000;

interface Look {
  readonly intent: OverdueIntent;
  readonly definition: IntentDefinition;
  readonly id: string;
  readonly presence: JobPresence;
}

/**
 * Adds a job for every intent whose job the queue has lost, or has given up although the row still waits. It asks the
 * queue: a job that waits for its next attempt, or for its turn, is not lost.
 * @param options `overdueMs`: only intents that nothing was heard of for so long; `tick`: makes ids of their own
 * @returns how many those are
 */
export async function repairIntents(
  { db, queues }: Pick<WorkerServices, "db" | "queues">,
  options: { overdueMs: number; tick: number },
): Promise<number> {
  const { overdueMs, tick } = options;
  const overdue = await overdueIntents(db, { jobs: [...intentJobs.keys()], overdueMs, limit });
  const looks = await Promise.all(overdue.map((intent) => lookAt(queues, intent)));
  const unheard = looks.filter(isLost);
  // A job that ended between the two looks has ended its row before.
  const pending = await stillPending(
    db,
    unheard.map(({ intent }) => intent),
  );
  const lost = unheard.filter(({ intent }) => pending.has(intent.intentId));
  await queues.publish(
    lost.map(({ intent, definition, id, presence }) => ({
      job: definition,
      payload: { intentId: intent.intentId, version: intent.version },
      // A job that is kept would swallow another one of its id.
      id: presence === "absent" ? id : `${id}-t${tick}`,
    })),
  );
  const present = looks.filter(({ presence }) => presence === "to run");
  await stampIntents(
    db,
    [...present, ...lost].map(({ intent }) => intent),
  );
  return lost.length;
}

async function lookAt(queues: WorkerServices["queues"], intent: OverdueIntent): Promise<Look> {
  const definition = intentJobs.get(intent.job)!;
  const id = definition.key(intent);
  return { intent, definition, id, presence: await queues.queue(definition.queue).presence(id) };
}

/** One that has ended for good may have been added under another id since: that one is given its time. */
function isLost({ intent, definition, presence }: Look): boolean {
  if (presence === "ended") return intent.quietMs > longestSilence(definition);
  return presence === "absent";
}
