import type { Database } from "@carillon/db";
import { waitFor, type Gateway } from "@carillon/testkit";

/**
 * Resolves when a poll of the queue waits at the gateway. Each `touch()` updates queues that were polled since the
 * last one, and queues with waiting polls; so only a second update proves that the poll waits.
 */
export async function untilItWaits(db: Database, gateway: Gateway, queueId: string): Promise<void> {
  for (let note = 0; note < 2; note++)
    await waitFor(
      async () => {
        await setUnusedFor(db, 100, [queueId]);
        await gateway.events.touch();
        return (await unusedFor(db, queueId)) < 100;
      },
      { what: "the poll waits" },
    );
}

/** Sets the last use of the queues to `seconds` seconds ago. */
export async function setUnusedFor(
  db: Database,
  seconds: number,
  queueIds: readonly string[],
): Promise<void> {
  await db.rows(
    `UPDATE event_queue SET last_seen = now() - make_interval(secs => $1)
     WHERE queue_id = ANY($2::uuid[])`,
    [seconds, queueIds],
  );
}

/** Returns the seconds since the queue was last marked as used. */
export async function unusedFor(db: Database, queueId: string): Promise<number> {
  const [row] = await db.rows<{ seconds: number }>(
    "SELECT extract(epoch FROM now() - last_seen)::float8 AS seconds FROM event_queue WHERE queue_id = $1",
    [queueId],
  );
  if (!row) throw new Error(`there is no queue ${queueId}`);
  return row.seconds;
}
