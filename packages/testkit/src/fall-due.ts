import { pending } from "@carillon/scheduling";
import type { Database } from "@carillon/db";
import { deliverDue } from "@carillon/jobs";
import type { Queues } from "@carillon/queue";
import { waitFor } from "./wait-for.ts";

/**
 * Lets the time come for all that an organization has scheduled, without waiting for it: once the alarm of each
 * second is in the queue, the rows move as far back as makes the last of them due now, and the alarms are due.
 * A second whose alarm has run gets none again: schedule for another one.
 * @throws Error when a row gets no alarm
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
  const alarms = rows.map(({ second }) =>
    waitFor(
      async () => {
        const alarm = await delivery?.getJob(deliverDue.key({ realmId, second }));
        return (await alarm?.isDelayed()) ? alarm : undefined;
      },
      { what: `there is an alarm for second ${second}` },
    ),
  );
  const set = await Promise.all(alarms);
  await db.rows(
    `UPDATE scheduled_messages SET deliver_at = date_trunc('second', now()) - (
       (SELECT max(deliver_at) FROM scheduled_messages WHERE ${scheduled}) - deliver_at)
     WHERE ${scheduled}`,
    [realmId],
  );
  for (const alarm of set) await alarm.promote();
}
