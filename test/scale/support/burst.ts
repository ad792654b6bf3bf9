import { waitFor } from "@carillon/testkit";
import { addDeliveryJobs, crowd, schedule, type Load } from "../../faults/support/load.ts";
import { waitTimeoutMs } from "../../faults/support/patience.ts";
import { allSent, expectSentOnce, pending } from "../../faults/support/verdict.ts";
import type { World } from "../../faults/support/world.ts";

/** Scheduled messages of one organization that fall due together. */
export interface Burst {
  /** Waits until some messages are sent and others are not. */
  underWay(): Promise<void>;
  /** Waits until all are sent, checks that each was sent once, and returns the seconds by which the latest was late. */
  end(): Promise<number>;
}

export async function startBurst({ db, queues }: World, load: Load): Promise<Burst> {
  const { realmId, ...people } = await crowd(db);
  await addDeliveryJobs(queues, await schedule(db, { realmId, ...people }, load));
  return {
    async underWay() {
      const some = async () => {
        const left = await pending(db, realmId);
        return left > 0 && left < load.count;
      };
      await waitFor(some, { what: "some messages of the burst are sent", everyMs: 20 });
    },
    async end() {
      await allSent(db, realmId, waitTimeoutMs);
      await expectSentOnce(db, realmId, load.count);
      const [row] = await db.rows<{ late: number }>(
        `SELECT max(extract(epoch FROM m.sent_at - s.deliver_at))::float8 AS late
         FROM scheduled_messages s JOIN messages m ON m.scheduled_message_id = s.id WHERE s.realm_id = $1`,
        [realmId],
      );
      return row?.late ?? Number.NaN;
    },
  };
}
