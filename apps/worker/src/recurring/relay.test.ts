import { startTask, createDeliveryJobPublisher } from "@carillon/scheduling";
import { deliveryJobHorizonMs, deliverDue, type PendingDelivery } from "@carillon/jobs";
import { silentLogger } from "@carillon/kit";
import {
  channel,
  forEachBackend,
  organization,
  scheduledMessage,
  useDatabase,
  useQueues,
} from "@carillon/testkit";
import { expect } from "chai";

import relayTask from "./relay.ts";

const hour = 3_600;

forEachBackend("the delivery job of a message that is due in more than a day", (backend) => {
  const db = useDatabase();
  const queues = useQueues(backend, db);

  async function deliveryOf(dueIn: number): Promise<PendingDelivery> {
    const { realm, member } = await organization(db);
    const room = await channel(db, realm, { subscribers: [member] });
    const { id } = await scheduledMessage(db, member, room, { dueIn });
    // Old enough for the relay.
    const [deliveryJob] = await db.rows<PendingDelivery>(
      `UPDATE scheduled_messages SET created_at = now() - interval '1 minute', alarmed_at = NULL WHERE id = $1
       RETURNING realm_id AS "realmId", id AS "scheduledMessageId", version,
         extract(epoch FROM deliver_at)::float8 AS "deliverAt"`,
      [id],
    );
    if (!deliveryJob) throw new Error("there is no such row");
    return deliveryJob;
  }

  /** Whether the row says that its delivery job is set, and what the queue has of it. */
  async function stateOf({ realmId, scheduledMessageId }: PendingDelivery) {
    const [row] = await db.rows<{ stamped: boolean; second: number }>(
      `SELECT alarmed_at IS NOT NULL AS stamped, floor(extract(epoch FROM deliver_at))::float8 AS second
       FROM scheduled_messages WHERE id = $1`,
      [scheduledMessageId],
    );
    if (!row) throw new Error("there is no such row");
    const { stamped, second } = row;
    const job = await queues.queue("delivery").job(deliverDue.key({ realmId, second }));
    return { stamped, job: job?.state };
  }
  const relayOnce = async () => {
    const relay = startTask(relayTask, { db, log: silentLogger, queues });
    await relay.run();
    await relay.stop();
  };

  it("is added by the request only if the message is due within 24 hours", async () => {
    const clock = createDeliveryJobPublisher({ queues, db, log: silentLogger });
    const [tomorrow, today] = [await deliveryOf(25 * hour), await deliveryOf(23 * hour)];
    clock.add(tomorrow);
    clock.add(today);
    await clock.idle();
    expect(await stateOf(tomorrow)).to.deep.equal({ stamped: false, job: undefined });
    expect(await stateOf(today)).to.deep.equal({ stamped: true, job: "delayed" });
  });

  it("is added by the relay 24 hours before the message is due", async () => {
    expect(deliveryJobHorizonMs).to.equal(24 * hour * 1_000);
    const deliveryJob = await deliveryOf(25 * hour);
    await relayOnce();
    expect(await stateOf(deliveryJob)).to.deep.equal({ stamped: false, job: undefined });
    await db.rows(
      "UPDATE scheduled_messages SET deliver_at = deliver_at - interval '2 hours' WHERE id = $1",
      [deliveryJob.scheduledMessageId],
    );
    await relayOnce();
    expect(await stateOf(deliveryJob)).to.deep.equal({ stamped: true, job: "delayed" });
  });
});
