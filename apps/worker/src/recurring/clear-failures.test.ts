import { startTask } from "@carillon/scheduling";
import { silentLogger } from "@carillon/kit";
import { organization, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import clearFailuresTask from "./clear-failures.ts";

describe("the recurring work clear-failures", () => {
  const db = useDatabase();

  it("deletes failures older than 30 days, in batches, and nothing else", async () => {
    const { realm, member } = await organization(db);
    const write = (days: number, count: number) =>
      db.rows(
        `INSERT INTO delivery_failures (realm_id, scheduled_message_id, version, kind, sender_id, due_at, failed_at,
           reason, process)
         SELECT $1, n, 1, 1, $2, now(), now() - make_interval(days => $3), 'no', 'h:1' FROM generate_series(1, $4::int) n`,
        [realm.id, member.id, days, count],
      );
    await write(31, 5_010);
    await write(29, 3);
    const clearing = startTask(clearFailuresTask, { db, log: silentLogger });
    await clearing.run();
    await clearing.stop();
    const [left] = await db.rows(
      "SELECT count(*)::int AS rows, bool_and(failed_at > now() - interval '30 days') AS young FROM delivery_failures",
    );
    expect(left).to.deep.equal({ rows: 3, young: true });
  });
});
