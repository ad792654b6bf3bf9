import type { Tx } from "@carillon/db";
import { organization, useDatabase, type TestOrganization } from "@carillon/testkit";
import { expect } from "chai";

import { collectGarbage } from "./garbage.ts";

// bot-platform.md §3
describe("collectGarbage, with an event subscription", () => {
  const db = useDatabase();
  let org: TestOrganization;
  before(async () => (org = await organization(db)));

  const day = 86_400;

  /** Writes events of these ages in days, and returns which are left. */
  const leftOf = async (
    ages: readonly number[],
    { state = "active", retention = { days: 7, events: 1_000 } } = {},
  ) => {
    const rolledBack = new Error("rolled back");
    let left: number[] = [];
    const work = db.transaction(async (tx: Tx) => {
      await tx.rows("DELETE FROM event_log");
      await tx.rows("UPDATE event_head SET seq = $2 WHERE realm_id = $1", [
        org.realm.id,
        ages.length,
      ]);
      await tx.rows(
        `INSERT INTO event_log (realm_id, seq, type, payload, audience, created_at)
         SELECT $1, e.seq, 'x', '{}', '{}', now() - make_interval(secs => e.age)
         FROM unnest($2::float8[]) WITH ORDINALITY AS e (age, seq)`,
        [org.realm.id, ages.map((days) => days * day)],
      );
      await tx.rows(
        `INSERT INTO event_subscription (realm_id, bot_id, url, origin, description, event_types, narrow,
           all_public_channels, secret_sealed, pinged_at, cursor, state)
         VALUES ($1, $2, '', '', '', '{message}', '[]', false, '', '{}', 0, $3)`,
        [org.realm.id, org.bot.id, state],
      );
      await collectGarbage({ transaction: (run) => run(tx) }, retention);
      const rows = await tx.rows<{ seq: number }>("SELECT seq FROM event_log ORDER BY seq");
      left = rows.map(({ seq }) => seq);
      throw rolledBack;
    });
    expect(await work.catch((error: unknown) => error)).to.equal(rolledBack);
    return left;
  };

  it("keeps events for some days where one is not disabled", async () => {
    expect(await leftOf([8, 7.1, 6.9, 1, 0])).to.deep.equal([3, 4, 5]);
    expect(await leftOf([8, 6.9, 1, 0], { state: "paused" })).to.deep.equal([2, 3, 4]);
    expect(await leftOf([8, 6.9, 1, 0], { state: "disabled" })).to.deep.equal([4]);
  });

  it("keeps no more events of an organization than the bound", async () => {
    const retention = { days: 7, events: 2 };
    expect(await leftOf([3, 2, 1, 1], { retention })).to.deep.equal([3, 4]);
  });
});
