import { recordIntents } from "@carillon/db";
import { sendNotice } from "@carillon/jobs";
import { silentLogger } from "@carillon/kit";
import { createTestQueues, organization, useDatabase } from "@carillon/testkit";
import { expect } from "chai";
import { serveOutbox } from "./serve-outbox.ts";

describe("what a process does after its commits", () => {
  const db = useDatabase();

  it("is to put intents and alarms into the queue, until it is closed", async () => {
    const { realm, member } = await organization(db);
    const leave = (key: string) =>
      db.transaction(async (tx) => {
        const payload = { kind: "bot-unheard" as const, botId: member.id, channelId: 1 };
        await recordIntents(tx, realm.id, sendNotice, [{ key, payload }]);
        const deliverAt = Math.floor(Date.now() / 1_000) + 3_600;
        tx.leave("alarm", { realmId: realm.id, scheduledMessageId: 1, version: 1, deliverAt });
      });
    const store = await createTestQueues("postgres", db.url);
    try {
      const queues = await store.connect();
      const waiting = async () => [
        (await queues.queue("maintenance").counts()).waiting,
        (await queues.queue("delivery").counts()).delayed,
      ];
      const outbox = serveOutbox({ db, queues, redisUrl: undefined, log: silentLogger });
      await leave("heard");
      await outbox.close();
      expect(outbox.missed()).to.deep.equal({ alarms: 0, intents: 0 });
      expect(await waiting()).to.deep.equal([1, 1]);
      await leave("unheard");
      await outbox.close();
      expect(await waiting()).to.deep.equal([1, 1]);
    } finally {
      await store.drop();
    }
  });
});
