import { silentLogger } from "@carillon/kit";
import { startTask } from "@carillon/scheduling";
import { channel, organization, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import clearUpsertsTask from "./clear-upserts.ts";

describe("the recurring work clear-upserts", () => {
  const db = useDatabase();

  it("deletes keys that have not been used for 30 days, in batches, and no others", async () => {
    const { realm, member } = await organization(db);
    const room = await channel(db, realm);
    const write = (days: number, count: number) =>
      db.rows(
        `INSERT INTO message_upserts (sender_id, recipient_id, key, message_id, used_at)
         SELECT $1, $2, $3::int || '-' || n, n, now() - make_interval(days => $3::int) FROM generate_series(1, $4::int) n`,
        [member.id, room.recipientId, days, count],
      );
    await write(31, 5_010);
    await write(29, 3);
    const clearing = startTask(clearUpsertsTask, { db, log: silentLogger });
    await clearing.run();
    await clearing.stop();
    const [left] = await db.rows(
      "SELECT count(*)::int AS rows, bool_and(used_at > now() - interval '30 days') AS young FROM message_upserts",
    );
    expect(left).to.deep.equal({ rows: 3, young: true });
  });
});
