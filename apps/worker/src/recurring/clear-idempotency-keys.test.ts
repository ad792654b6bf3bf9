import { startTask } from "@carillon/scheduling";
import { silentLogger } from "@carillon/kit";
import { organization, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import clearIdempotencyKeysTask from "./clear-idempotency-keys.ts";

describe("the recurring work clear-idempotency-keys", () => {
  const db = useDatabase();

  it("deletes rows that are 24 hours old, in batches, and keeps younger ones", async () => {
    const { member } = await organization(db);
    const write = (age: string, count: number) =>
      db.rows(
        `INSERT INTO idempotency_keys (id, account_id, fingerprint, answer, created_at)
         SELECT gen_random_uuid(), $1, '\\x00', '{}', now() - $2::interval FROM generate_series(1, $3::int)`,
        [member.id, age, count],
      );
    await write("24 hours", 5_010);
    await write("23 hours 59 minutes", 3);
    const clearing = startTask(clearIdempotencyKeysTask, { db, log: silentLogger });
    await clearing.run();
    await clearing.stop();
    const [left] = await db.rows(
      "SELECT count(*)::int AS rows, bool_and(created_at > now() - interval '24 hours') AS young FROM idempotency_keys",
    );
    expect(left).to.deep.equal({ rows: 3, young: true });
  });
});
