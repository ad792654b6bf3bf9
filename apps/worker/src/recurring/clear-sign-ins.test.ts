import { silentLogger } from "@carillon/kit";
import { startTask } from "@carillon/scheduling";
import { organization, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import clearSignInsTask from "./clear-sign-ins.ts";

describe("the recurring work clear-sign-ins", () => {
  const db = useDatabase();

  it("deletes attempts that are an hour old, in batches, and keeps younger ones", async () => {
    const { realm } = await organization(db);
    const write = (age: string, count: number) =>
      db.rows(
        `INSERT INTO sso_attempts (realm_id, state_digest, browser_digest, sealed, created_at)
         SELECT $1, uuid_send(gen_random_uuid()), '\\x00', '\\x00', now() - $2::interval
         FROM generate_series(1, $3::int)`,
        [realm.id, age, count],
      );
    await write("1 hour", 5_010);
    await write("59 minutes", 3);
    const clearing = startTask(clearSignInsTask, { db, log: silentLogger });
    await clearing.run();
    await clearing.stop();
    const [left] = await db.rows(
      "SELECT count(*)::int AS rows, bool_and(created_at > now() - interval '1 hour') AS young FROM sso_attempts",
    );
    expect(left).to.deep.equal({ rows: 3, young: true });
  });
});
