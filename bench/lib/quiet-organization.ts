import { setTimeout as pause } from "node:timers/promises";
import type { DeliveryJobPublisher } from "@carillon/scheduling";
import { writeDueRows } from "./due-rows.ts";
import type { BenchDatabase } from "./servers.ts";
import type { World } from "./world.ts";

/**
 * Schedules messages of an organization one by one, each for a full second, with its delivery job.
 * @param everyMs pause between two messages, in milliseconds
 * @param notice how long before its due time a message is scheduled, in seconds, in rotation
 * @param over returns true when no more messages are to be scheduled
 */
export async function keepScheduling(
  database: BenchDatabase,
  world: World,
  deliveryJobs: DeliveryJobPublisher,
  { everyMs, notice, over }: { everyMs: number; notice: readonly number[]; over: () => boolean },
): Promise<void> {
  for (let n = 0; !over(); n++) {
    const deliverAt = Math.ceil(Date.now() / 1_000 + notice[n % notice.length]!);
    const { first } = await writeDueRows(database, world, 1, deliverAt);
    deliveryJobs.add({ realmId: world.realmId, scheduledMessageId: first, version: 1, deliverAt });
    await pause(everyMs);
  }
}

/**
 * Returns the lateness of each message that was due between two times: seconds from its due time to its commit.
 * @param from UNIX seconds
 * @param to UNIX seconds
 */
export async function latenessBetween(
  { db }: BenchDatabase,
  { realmId }: World,
  from: number,
  to: number,
): Promise<number[]> {
  const found = await db.rows<{ late: number }>(
    `SELECT extract(epoch FROM pg_xact_commit_timestamp(m.xmin) - s.deliver_at)::float8 AS late
     FROM scheduled_messages s JOIN messages m ON m.scheduled_message_id = s.id
     WHERE s.realm_id = $1 AND s.deliver_at BETWEEN to_timestamp($2) AND to_timestamp($3)`,
    [realmId, from, to],
  );
  return found.map(({ late }) => late);
}
