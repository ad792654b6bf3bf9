import { pending } from "@carillon/scheduling";
import type { Database } from "@carillon/db";
import { deliverDue } from "@carillon/jobs";
import type { Queues } from "@carillon/queue";
import { waitFor } from "./wait-for.ts";

/**
 * Makes all scheduled messages of an organization due: waits until each second's delivery job is queued, moves the
 * rows back so that the last of them is due now, and promotes the jobs. A second's job is not added again after it has
 * run: schedule for another second.
 * @throws Error if a row gets no delivery job
 */
export async function fallDue(
  db: Database,
  queues: Pick<Queues, "bullQueues">,
  realmId: number,
): Promise<void> {
  const scheduled = `realm_id = $1 AND ${pending("scheduled_messages")} AND deliver_at > now()`;
  const rows = await db.rows<{ second: number }>(
    `SELECT DISTINCT extract(epoch FROM deliver_at)::int AS second FROM scheduled_messages WHERE ${scheduled}`,
    [realmId],
  );
  const delivery = queues.bullQueues().find(({ name }) => name === "delivery");
  const waiting = rows.map(({ second }) =>
    waitFor(
      async () => {
        const job = await delivery?.getJob(deliverDue.key({ realmId, second }));
        return (await job?.isDelayed()) ? job : undefined;
      },
      { what: `there is a delivery job for second ${second}` },
    ),
  );
  const jobs = await Promise.all(waiting);
  await db.rows(
    `UPDATE scheduled_messages SET deliver_at = date_trunc('second', now()) - (
       (SELECT max(deliver_at) FROM scheduled_messages WHERE ${scheduled}) - deliver_at)
     WHERE ${scheduled}`,
    [realmId],
  );
  for (const job of jobs) await job.promote();
}
