import { silentLogger } from "@carillon/kit";
import { createTestQueues, useDatabase } from "@carillon/testkit";
import { expect } from "chai";
import { createAlarmPublisher } from "./alarm-publisher.ts";

describe("the alarm publisher", () => {
  const db = useDatabase();

  it("adds the alarm of a second again when the queue was emptied a minute ago", async () => {
    const store = await createTestQueues("postgres", db.url);
    try {
      const queues = await store.connect();
      const start = Date.now();
      let now = start;
      const alarms = createAlarmPublisher({
        queues,
        db,
        log: silentLogger,
        clock: { now: () => now },
      });
      const second = Math.floor(start / 1_000) + 3_600;
      const id = `deliver-due-1-${second}`;
      const set = async (scheduledMessageId: number) => {
        alarms.set({ realmId: 1, scheduledMessageId, version: 1, deliverAt: second });
        await alarms.idle();
        expect(alarms.missed).to.equal(0);
        return (await queues.queue("delivery").job(id))?.state;
      };
      expect(await set(1)).to.equal("delayed");
      const [delivery] = queues.bullQueues().filter(({ name }) => name === "delivery");
      await (await delivery?.getJob(id))?.remove();
      now = start + 61_000;
      expect(await set(2)).to.equal("delayed");
    } finally {
      await store.drop();
    }
  });
});
