import { channel, user, useScene } from "@carillon/testkit";
import { expect } from "chai";

import { endDeferralOf } from "./end-deferral.ts";

// docs/decisions/083
describe("endDeferralOf", () => {
  const scene = useScene();

  it("changes at most the maximum of subscriptions of several people, and all subscriptions of one person", async () => {
    const { db, org } = scene;
    const people = [await user(db, org.realm), await user(db, org.realm)];
    const ids = people.map(({ id }) => id);
    for (let room = 0; room < 2; room++) await channel(db, org.realm, { subscribers: people });
    await db.rows("UPDATE subscriptions SET deferred_after = 0 WHERE user_id = ANY($1)", [ids]);
    const end = (some: readonly number[], maximum: number) =>
      db.transaction((tx) => endDeferralOf(tx, some, maximum));
    const away = async () =>
      (
        await db.rows<{ id: number }>(
          `SELECT user_id AS id FROM subscriptions
           WHERE user_id = ANY($1) AND deferred_after IS NOT NULL AND deferred_until IS NULL ORDER BY 1`,
          [ids],
        )
      ).map(({ id }) => id);
    const [first = 0, second = 0] = ids;

    let refusal: unknown;
    await end(ids, 3).catch((error: unknown) => (refusal = error));
    expect(refusal)
      .to.have.property("message")
      .that.matches(/have 4 subscriptions, .* for 3: name fewer people$/);
    expect(await away(), "after the refusal").to.deep.equal([first, first, second, second]);
    await end([first], 1);
    expect(await away(), "one person").to.deep.equal([second, second]);
    await db.rows("UPDATE subscriptions SET deferred_until = NULL WHERE user_id = $1", [first]);
    await end(ids, 4);
    expect(await away(), "as many as the maximum").to.deep.equal([]);
  });
});
