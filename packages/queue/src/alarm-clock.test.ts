import { silentLogger } from "@carillon/kit";
import { createTestQueues, useDatabase } from "@carillon/testkit";
import { expect } from "chai";
import { createAlarmClock } from "./alarm-clock.ts";

describe("the alarm clock", () => {
  const db = useDatabase();

  it("adds the alarm of a second again when the queue was emptied a minute ago", async () => {
    const store = await createTestQueues("postgres", db.url);
    try {
      const queues = await store.connect();
      const start = Date.now();
      let now = start;
      const clock = createAlarmClock({ queues, db, log: silentLogger, clock: { now: () => now } });
      const second = Math.floor(start / 1_000) + 3_600;
      const id = `deliver-due-1-${second}`;
      const ring = async (scheduledMessageId: number) => {
        clock.set({ realmId: 1, scheduledMessageId, version: 1, deliverAt: second });
        await clock.idle();
        expect(clock.missed).to.equal(0);
        return (await queues.queue("delivery").job(id))?.state;
      };
      expect(await ring(1)).to.equal("delayed");
      const [delivery] = queues.bullQueues().filter(({ name }) => name === "delivery");
      await (await delivery?.getJob(id))?.remove();
      now = start + 61_000;
      expect(await ring(2)).to.equal("delayed");
    } finally {
      await store.drop();
    }
  });
});
