import { silentLogger } from "@carillon/kit";
import { startTask } from "@carillon/scheduling";
import { channel, organization, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import clearWithheldTask from "./clear-withheld.ts";

describe("the recurring work clear-withheld", () => {
  const db = useDatabase();

  it("deletes withheld messages after 30 days, in batches, and no others", async () => {
    const { realm, member } = await organization(db);
    const room = await channel(db, realm);
    const write = (days: number, count: number) =>
      db.rows(
        `INSERT INTO withheld_messages (scheduled_message_id, realm_id, sender_id, recipient_id, channel_id, topic,
           content, deliver_at, withheld_at, condition)
         SELECT $5::int * 10000 + n, $1, $2, $3, $4, 't', 'x', now(), now() - make_interval(days => $5::int), '{}'
         FROM generate_series(1, $6::int) n`,
        [realm.id, member.id, room.recipientId, room.id, days, count],
      );
    await write(31, 5_010);
    await write(29, 3);
    const clearing = startTask(clearWithheldTask, { db, log: silentLogger });
    await clearing.run();
    await clearing.stop();
    const [left] = await db.rows(
      "SELECT count(*)::int AS rows, bool_and(withheld_at > now() - interval '30 days') AS young FROM withheld_messages",
    );
    expect(left).to.deep.equal({ rows: 3, young: true });
  });
});
