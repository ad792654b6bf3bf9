import { deliverDue } from "@carillon/jobs";
import { silentLogger } from "@carillon/kit";
import {
  channel,
  createTestQueues,
  forEachBackend,
  organization,
  scheduledMessage,
  useDatabase,
  useQueues,
  nth,
} from "@carillon/testkit";
import { expect } from "chai";

import { createDeliveryJobPublisher } from "./job-publisher.ts";

describe("createDeliveryJobPublisher", () => {
  const db = useDatabase();

  it("adds the job of a second again a minute after the first time, in case the queue was emptied", async () => {
    const store = await createTestQueues("postgres", db.url);
    try {
      const queues = await store.connect();
      const start = Date.now();
      let now = start;
      const deliveryJobs = createDeliveryJobPublisher({
        queues,
        db,
        log: silentLogger,
        clock: { now: () => now },
      });
      const second = Math.floor(start / 1_000) + 3_600;
      const id = `deliver-due-1-${second}`;
      const add = async (scheduledMessageId: number) => {
        deliveryJobs.add({ realmId: 1, scheduledMessageId, version: 1, deliverAt: second });
        await deliveryJobs.idle();
        expect(deliveryJobs.missed).to.equal(0);
        return (await queues.queue("delivery").job(id))?.state;
      };
      expect(await add(1)).to.equal("delayed");
      const [delivery] = queues.bullQueues().filter(({ name }) => name === "delivery");
      await (await delivery?.getJob(id))?.remove();
      now = start + 61_000;
      expect(await add(2)).to.equal("delayed");
    } finally {
      await store.drop();
    }
  });

  it("remembers for a minute which jobs it has added, but reports none that is due within a minute", async () => {
    let now = Date.now();
    let isAway = false;
    const deliveryJobs = createDeliveryJobPublisher({
      queues: {
        publish: async () => {
          if (isAway) throw new Error("the queue is away");
        },
      },
      db,
      log: silentLogger,
      clock: { now: () => now },
    });
    const second = Math.floor(now / 1_000) + 90;
    const add = async (deliverAt: number) => {
      deliveryJobs.add({ realmId: 1, scheduledMessageId: 1, version: 1, deliverAt });
      await deliveryJobs.idle();
    };
    expect(deliveryJobs.hasAdded(1, second)).to.equal(false);
    await add(second);
    expect(deliveryJobs.hasAdded(1, second + 0.9)).to.equal(true);
    expect(deliveryJobs.hasAdded(1, second + 1)).to.equal(false);
    expect(deliveryJobs.hasAdded(2, second)).to.equal(false);
    isAway = true;
    await add(second + 1);
    expect(deliveryJobs.hasAdded(1, second + 1)).to.equal(false);
    isAway = false;
    await add(second + 3_600);
    now += 31_000;
    expect(deliveryJobs.hasAdded(1, second)).to.equal(false);
    expect(deliveryJobs.hasAdded(1, second + 3_600)).to.equal(true);
    now += 30_000;
    expect(deliveryJobs.hasAdded(1, second + 3_600)).to.equal(false);
  });
});

forEachBackend("createDeliveryJobPublisher in a process whose clock is wrong", (backend) => {
  const db = useDatabase();
  const queues = useQueues(backend, db);

  for (const [secondsOff, dueIn, jobs] of [
    // As if the message were due in 3 s: the job of its second may be running when this is detected.
    [-2, 1, ["shared", "own"]],
    // Overdue when its request has committed.
    [-60, -1, ["shared", "own"]],
    [0, 1, ["own"]],
    [60, 30, ["own"]],
    [-60, 30, ["shared"]],
  ] as const)
    it(`gives a message due in ${dueIn} s ${jobs.join(" and ")} job by a clock that is ${secondsOff} s off`, async () => {
      const { realm, member } = await organization(db);
      const room = await channel(db, realm, { subscribers: [member] });
      const { id } = await scheduledMessage(db, member, room, { dueIn });
      const rows = await db.rows<{ deliverAt: number }>(
        `UPDATE scheduled_messages SET alarmed_at = NULL WHERE id = $1
         RETURNING extract(epoch FROM deliver_at)::float8 AS "deliverAt"`,
        [id],
      );
      const { deliverAt } = nth(rows, 0);
      // The clock stands still, so that a slow machine does not change what it shows.
      const clock = { now: () => (deliverAt - dueIn + secondsOff) * 1_000 };
      const deliveryJobs = createDeliveryJobPublisher({ queues, db, log: silentLogger, clock });
      const deliveryJob = { realmId: realm.id, scheduledMessageId: id, version: 1, deliverAt };
      deliveryJobs.add(deliveryJob);
      await deliveryJobs.idle();

      const payload = { realmId: realm.id, second: Math.floor(deliverAt) };
      const keys = {
        shared: deliverDue.key(payload),
        own: deliverDue.key({ ...payload, scheduledMessageId: id, version: 1 }),
      };
      const found = await Promise.all(
        (["shared", "own"] as const).map(async (kind) =>
          (await queues.queue("delivery").job(keys[kind])) ? [kind] : [],
        ),
      );
      expect(found.flat()).to.deep.equal(jobs);
      const stamped = await db.rows(
        "SELECT FROM scheduled_messages WHERE id = $1 AND alarmed_at IS NOT NULL",
        [id],
      );
      expect(stamped).to.have.length(1);
    });
});
