import { channel, send, toChannel, user, useScene } from "@carillon/testkit";
import { expect } from "chai";

import { makeCopiesOf } from "./make-copies.ts";

// docs/decisions/083
describe("makeCopiesOf", () => {
  const scene = useScene();

  it("makes copies for subscribers of the other channel only, and refuses more than the maximum", async () => {
    const { db, org } = scene;
    const [both, one] = [await user(db, org.realm), await user(db, org.realm)];
    const from = await channel(db, org.realm, { subscribers: [org.owner, both, one] });
    const to = await channel(db, org.realm, { subscribers: [org.owner, both] });
    await db.rows(
      "UPDATE subscriptions SET deferred_after = 0 WHERE channel_id = $1 AND user_id = ANY($2)",
      [from.id, [both.id, one.id]],
    );
    const owner = scene.as(org.owner);
    const ids = [await send(owner, toChannel(from.id)), await send(owner, toChannel(from.id))];
    const places = { from: from.id, to: to.id };
    const make = (some: readonly number[], maximum?: number) =>
      db.transaction((tx) => makeCopiesOf(tx, places, some, maximum));
    const holders = async () =>
      (
        await db.rows<{ id: number }>(
          "SELECT user_id AS id FROM user_messages WHERE user_id = ANY($1) ORDER BY message_id, 1",
          [[both.id, one.id]],
        )
      ).map(({ id }) => id);

    let refusal: unknown;
    await make(ids, 1).catch((error: unknown) => (refusal = error));
    expect(refusal)
      .to.have.property("message")
      .that.matches(/^At most 1 of these messages/);
    expect(await holders(), "after the refusal").to.deep.equal([]);
    await make(ids.slice(0, 1), 0);
    expect(await holders(), "one message").to.deep.equal([both.id]);
    await make(ids);
    expect(await holders(), "all messages").to.deep.equal([both.id, both.id]);
  });
});
