import {
  changeChannel,
  channel,
  channelMessage,
  deliverNow,
  schedule,
  useScene,
} from "@carillon/testkit";
import { processName } from "@carillon/kit";
import { expect } from "chai";

describe("the history of a delivery", () => {
  const scene = useScene();

  it("has one row for each batch, and the time and process in each message", async () => {
    const { db, org } = scene;
    const room = await channel(db, org.realm, { subscribers: [org.member] });
    const closed = await channel(db, org.realm, { subscribers: [org.member] });
    const ids: number[] = [];
    for (const to of [room, room, closed])
      ids.push(await schedule(scene.as(org.member), channelMessage(to.id)));
    await changeChannel(db, closed, { isArchived: true });
    await db.rows("TRUNCATE delivery_batches");
    await deliverNow(db, org.realm, ids, 3);

    const rows = await db.rows(
      `SELECT b.backend, b.failed, b.ended_at IS NOT NULL AS ended,
         (SELECT array_agg(due = extract(epoch FROM s.deliver_at)) FROM unnest(b.due_at) AS due, scheduled_messages s
          WHERE s.id = $1) AS due
       FROM delivery_batches b`,
      [ids[0]],
    );
    expect(rows).to.deep.equal([
      { backend: "postgres", failed: 1, ended: true, due: [true, true] },
    ]);
    const ends = await db.rows(
      `SELECT delivered, ended_by AS by, ended_at > deliver_at AND ended_at <= clock_timestamp() AS after
       FROM scheduled_messages WHERE id = ANY($1::bigint[]) ORDER BY id`,
      [ids],
    );
    expect(ends).to.deep.equal([
      { delivered: true, by: processName, after: true },
      { delivered: true, by: processName, after: true },
      { delivered: false, by: processName, after: true },
    ]);
    await deliverNow(db, org.realm, []);
    expect(await db.rows("SELECT FROM delivery_batches")).to.have.length(1);
  });
});
