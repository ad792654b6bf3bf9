import { getMessages } from "@carillon/contract";
import { startTask } from "@carillon/scheduling";
import { indexMessagesForSearch } from "@carillon/jobs";
import { silentLogger } from "@carillon/kit";
import { channel, pastMessages, useScene } from "@carillon/testkit";
import { expect } from "chai";

import indexMessagesTask from "./index-messages.ts";

describe("the recurring work index-messages", () => {
  const scene = useScene();

  it("indexes messages that were sent before search existed, in batches", async () => {
    const { db, org } = scene;
    const room = await channel(db, org.realm, { subscribers: [org.member] });
    const count = indexMessagesForSearch.bound.batch + 3;
    const ids = await pastMessages(db, room, org.owner, { count });
    const asStored = "SELECT id, search::text FROM messages ORDER BY id";
    const before = await db.rows(asStored);
    const found = async () => {
      const params = {
        anchor: "newest",
        num_before: 1_000,
        num_after: 0,
        narrow: [["search", "soups"]],
      };
      return (await scene.as(org.member).succeed(getMessages, { params })).messages.map(
        ({ id }) => id,
      );
    };
    await db.rows("UPDATE messages SET search = NULL");
    expect(await found()).to.deep.equal([]);

    const indexing = startTask(indexMessagesTask, { db, log: silentLogger });
    await indexing.run();
    await indexing.stop();
    expect(await found()).to.deep.equal(ids);
    expect(await db.rows(asStored)).to.deep.equal(before);
  });

  it("skips a message that another transaction is changing", async () => {
    const { db, org } = scene;
    const room = await channel(db, org.realm, { subscribers: [org.member] });
    const [held = 0, free = 0] = await pastMessages(db, room, org.owner, { count: 2 });
    await db.rows("UPDATE messages SET search = NULL");
    const unfound = () => db.rows<{ id: number }>("SELECT id FROM messages WHERE search IS NULL");
    await db.transaction(async (tx) => {
      await tx.rows("SELECT FROM messages WHERE id = $1 FOR UPDATE", [held]);
      const indexing = startTask(indexMessagesTask, { db, log: silentLogger });
      await indexing.run();
      await indexing.stop();
      expect(await unfound()).to.deep.equal([{ id: held }]);
      expect(free).to.be.above(held);
    });
  });
});
