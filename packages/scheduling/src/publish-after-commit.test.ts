import { sendNotice } from "@carillon/jobs";
import { silentLogger } from "@carillon/kit";
import { recordIntents } from "@carillon/outbox";
import { createTestQueues, organization, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { deliveryScheduled } from "./delivery/delivery-jobs.ts";
import { publishJobsAfterCommit } from "./publish-after-commit.ts";

describe("publishJobsAfterCommit", () => {
  const db = useDatabase();

  it("puts intents and delivery jobs into the queue until it is closed", async () => {
    const { realm, member } = await organization(db);
    const commit = (key: string) =>
      db.transaction(async (tx) => {
        const payload = { kind: "bot-unheard" as const, botId: member.id, channelId: 1 };
        await recordIntents(tx, realm.id, sendNotice, [{ key, payload }]);
        const deliverAt = Math.floor(Date.now() / 1_000) + 3_600;
        tx.publishAfterCommit(deliveryScheduled, {
          realmId: realm.id,
          scheduledMessageId: 1,
          version: 1,
          deliverAt,
        });
      });
    const store = await createTestQueues("postgres", db.url);
    try {
      const queues = await store.connect();
      const waiting = async () => [
        (await queues.queue("maintenance").counts()).waiting,
        (await queues.queue("delivery").counts()).delayed,
      ];
      const published = publishJobsAfterCommit({ db, queues, log: silentLogger });
      await commit("heard");
      await published.close();
      expect(published.missed()).to.deep.equal({ alarms: 0, intents: 0 });
      expect(await waiting()).to.deep.equal([1, 1]);
      await commit("unheard");
      await published.close();
      expect(await waiting()).to.deep.equal([1, 1]);
    } finally {
      await store.drop();
    }
  });
});
