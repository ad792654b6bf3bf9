import type { Database } from "@carillon/db";
import {
  type IntentDefinition,
  type PlannedPush,
  planPushes,
  type RemovePushesIntent,
  removePushes,
  sendPushes,
} from "@carillon/jobs";
import { silentLogger } from "@carillon/kit";
import { bouncerClient, decryptPayload, type NotifyBody, type PushConfig } from "@carillon/push";

import { pushKey } from "../factories/device.ts";
import { type JobRun, runJob, type RunJobOptions } from "../jobs.ts";

/** Runs the jobs of all pending intents of that kind and the jobs that these record, without a queue. */
export async function runIntents<Payload>(
  db: Database,
  definition: IntentDefinition<Payload>,
  options?: RunJobOptions,
): Promise<JobRun[]> {
  const runs: JobRun[] = [];
  for (let turn = 0; turn < 100; turn++) {
    const pending = await db.prisma.jobIntent.findMany({
      where: { job: definition.name, state: "pending" },
      orderBy: { id: "asc" },
    });
    if (pending.length === 0) return runs;
    for (const { id, version } of pending)
      runs.push(await runJob(db, definition, { intentId: Number(id), version }, options));
  }
  throw new Error(`the intents of ${definition.name} never came to an end`);
}

/** Runs the jobs of {@link runIntents} with a push service, as a worker does; delays are skipped. */
export async function runCalls<Payload>(
  db: Database,
  definition: IntentDefinition<Payload>,
  config: PushConfig,
  options?: RunJobOptions,
): Promise<JobRun[]> {
  const { guardBouncer } = await import("@carillon/worker");
  const client = bouncerClient(config, "1.0");
  const queues = { pauseFor: async () => {} };
  const bouncer = guardBouncer(client, { db, queues, log: silentLogger });
  try {
    return await runIntents(db, definition, {
      ...options,
      services: { ...options?.services, bouncer },
    });
  } finally {
    await client.close();
  }
}

/** Returns the decrypted notifications of a device whose key derives from the byte, oldest first. */
export async function phonePayloads(
  bodies: readonly NotifyBody[],
  fill = 1,
): Promise<Array<Readonly<Record<string, unknown>>>> {
  const key = Buffer.from(pushKey(1, fill).push_key, "base64");
  const contents: Array<Readonly<Record<string, unknown>>> = [];
  for (const { push_requests } of bodies)
    for (const { payload } of push_requests) {
      const opened = await decryptPayload(key, payload.encrypted_data).catch(() => undefined);
      if (opened) contents.push(opened as Readonly<Record<string, unknown>>);
    }
  return contents;
}

/** Plans pushes for sent messages; returns those to be sent, by message and account. */
export async function plannedPushes(db: Database): Promise<PlannedPush[]> {
  await runIntents(db, planPushes);
  const calls = await pendingPayloads(db, sendPushes);
  return calls
    .flatMap(({ pushes }) => pushes)
    .toSorted((a, b) => a.messageId - b.messageId || a.userId - b.userId);
}

/** Pending removals of notifications from devices, by account. */
export async function plannedRemovals(db: Database): Promise<RemovePushesIntent["removals"]> {
  const calls = await pendingPayloads(db, removePushes);
  return calls.flatMap(({ removals }) => removals).toSorted((a, b) => a.userId - b.userId);
}

/** The payloads of pending intents of that kind, in the order of recording. */
export async function pendingPayloads<Payload>(
  db: Database,
  definition: IntentDefinition<Payload>,
): Promise<Payload[]> {
  const rows = await db.prisma.jobIntent.findMany({
    where: { job: definition.name, state: "pending" },
    orderBy: { id: "asc" },
  });
  return rows.map(({ payload }) => definition.intent.parse(payload));
}

/** Deletes all intents of that kind. */
export async function forgetIntents(
  db: Database,
  ...definitions: readonly IntentDefinition[]
): Promise<void> {
  await db.prisma.jobIntent.deleteMany({
    where: { job: { in: definitions.map(({ name }) => name) } },
  });
}
