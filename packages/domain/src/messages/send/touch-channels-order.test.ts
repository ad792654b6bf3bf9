import { loadRealm } from "@carillon/model";
import {
  channel,
  organization,
  useDatabase,
  useBlocker,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";

import { checkMessages, onlyMessage } from "./check.ts";
import { sendMessages } from "./send.ts";

describe("Batches that mark the same channels as active", () => {
  const db = useDatabase();
  const blocker = useBlocker(db);
  let org: Awaited<ReturnType<typeof organization>>;
  before("create an organization", async () => {
    org = await organization(db);
    await db.rows("INSERT INTO clients (name) VALUES ('test') ON CONFLICT DO NOTHING");
  });

  /** Sends a message to each channel, in one transaction and in the order given; returns how many attempts it took. */
  async function sendToAll(rooms: readonly TestChannel[]): Promise<number> {
    let attempts = 0;
    await db.transaction(async (tx) => {
      attempts++;
      // As PostgreSQL plans it with thousands of channels: it looks them up one by one, in the order given.
      for (const plan of ["seqscan", "bitmapscan", "hashjoin", "mergejoin", "sort"])
        await tx.rows(`SET LOCAL enable_${plan} = off`);
      const realm = await loadRealm(tx, org.realm.id);
      const [client] = await tx.rows<{ id: number }>("SELECT min(id) AS id FROM clients");
      const inputs = rooms.map(({ id }) => ({
        senderId: org.member.id,
        destination: { kind: "channel", channelId: id } as const,
        topic: "lunch",
        content: "soup",
      }));
      const site = { url: "http://localhost" };
      const { results } = await checkMessages(tx, site, realm.id, inputs);
      const outgoing = results.map((result) => ({
        ...onlyMessage([result]),
        clientId: client?.id ?? 0,
        clientName: "test",
        readBySender: true,
      }));
      await sendMessages(tx, realm, outgoing);
    });
    return attempts;
  }

  for (const state of ["have no message yet", "have been quiet"] as const)
    it(`do not deadlock in channels that ${state}, while one row is locked`, async () => {
      const rooms = [
        await channel(db, org.owner, { subscribers: [org.member] }),
        await channel(db, org.owner, { subscribers: [org.member] }),
      ];
      const [first, second] = rooms as [TestChannel, TestChannel];
      if (state === "have been quiet") {
        await sendToAll(rooms);
        // The rows now lie in the other order.
        for (const { id } of [second, first])
          await db.rows("UPDATE channels SET is_recently_active = false WHERE id = $1", [id]);
      }
      await blocker.lock("SELECT FROM channels WHERE id = $1 FOR NO KEY UPDATE", [first.id]);
      const one = sendToAll([first, second]);
      await blocker.untilWaiting(1, "the first batch waits for the row");
      const other = sendToAll([second, first]);
      await blocker.untilWaiting(2, "the second batch waits");
      await blocker.release();
      expect(await Promise.all([one, other])).to.deep.equal([1, 1]);
      const rows = await db.prisma.channel.findMany({
        where: { id: { in: [first.id, second.id] } },
      });
      expect(rows.map((row) => row.isRecentlyActive)).to.deep.equal([true, true]);
    });
});
