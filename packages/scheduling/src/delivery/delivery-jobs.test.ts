import type { PendingDelivery } from "@carillon/jobs";
import { channel, organization, scheduledMessage, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { overdueRealms, stampDeliveryJobs } from "./delivery-jobs.ts";

describe("delivery jobs", () => {
  const db = useDatabase();

  const scene = async () => {
    const { realm, member } = await organization(db);
    const room = await channel(db, realm, { subscribers: [member] });
    const pending = (dueIn: number) => scheduledMessage(db, member, room, { dueIn });
    const deliveryOf = ({ id, deliverAt }: { id: number; deliverAt: number }): PendingDelivery => ({
      realmId: realm.id,
      scheduledMessageId: id,
      version: 1,
      deliverAt,
    });
    return { realm, pending, deliveryOf };
  };

  const added = (delivery: PendingDelivery) => ({ delivery, shared: true });

  it("are stamped without waiting for a locked row", async () => {
    const { pending, deliveryOf } = await scene();
    const held = await pending(60);
    const free = await pending(60);
    await db.transaction(async (tx) => {
      await tx.rows("SELECT FROM scheduled_messages WHERE id = $1 FOR NO KEY UPDATE", [held.id]);
      await stampDeliveryJobs(db, [added(deliveryOf(held)), added(deliveryOf(free))]);
    });
    const stamped = await db.rows<{ id: number }>(
      "SELECT id FROM scheduled_messages WHERE alarmed_at IS NOT NULL",
    );
    expect(stamped).to.deep.equal([{ id: free.id }]);
  });

  it("are not stamped when the row has been edited since", async () => {
    const { pending, deliveryOf } = await scene();
    const row = await pending(60);
    await stampDeliveryJobs(db, [added({ ...deliveryOf(row), version: 2 })]);
    const rows = await db.rows("SELECT alarmed_at FROM scheduled_messages WHERE id = $1", [row.id]);
    expect(rows).to.deep.equal([{ alarmed_at: null }]);
  });

  it("are found overdue in every organization, independently of the others", async () => {
    const large = await scene();
    const small = await scene();
    const { id } = await large.pending(-60);
    await db.rows(
      `INSERT INTO scheduled_messages (realm_id, sender_id, recipient_id, channel_id, topic, content,
         rendered_content, client_id, deliver_at, read_by_sender)
       SELECT realm_id, sender_id, recipient_id, channel_id, topic, content, rendered_content, client_id,
         deliver_at, read_by_sender
       FROM scheduled_messages, generate_series(1, 10100) WHERE id = $1`,
      [id],
    );
    await small.pending(-30);
    const overdue = await overdueRealms(db, 10_000);
    expect(overdue).to.have.deep.members([
      { realmId: large.realm.id, rows: 10_000 },
      { realmId: small.realm.id, rows: 1 },
    ]);
  });
});
