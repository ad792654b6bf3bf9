import { lockClass } from "@carillon/db";
import {
  batchesWithoutLongRun,
  batchesPerJob,
  deliverDue,
  type DeliverDue,
  type Publication,
} from "@carillon/jobs";
import {
  channel,
  organization,
  runJob,
  scheduledMessage,
  useDatabase,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";
import { LongRunSlots } from "../long-run-slots.ts";
import type { WorkerServices } from "../services.ts";

describe("the job deliver-due", () => {
  const db = useDatabase();
  let org: TestOrganization;
  let room: TestChannel;

  beforeEach(async () => {
    org = await organization(db);
    room = await channel(db, org.realm, { subscribers: [org.member] });
  });

  /** Runs the job of a second long past. @returns the one job that it leaves, undefined when it leaves none */
  const run = async (
    payload: DeliverDue = { realmId: org.realm.id, second: 1 },
    services: Partial<WorkerServices> = {},
  ) => {
    const { published } = await runJob(db, deliverDue, payload, { services });
    expect(published).to.have.length.within(0, 1);
    return published[0] as Publication<DeliverDue> | undefined;
  };
  const pending = async () =>
    (
      await db.rows<{ n: number }>(
        "SELECT count(*) AS n FROM scheduled_messages WHERE realm_id = $1 AND NOT delivered AND NOT failed",
        [org.realm.id],
      )
    )[0]?.n;

  it("continues in another job after a full run of batches", async () => {
    // A message to a topic's participants is a batch of its own.
    for (let i = 0; i <= batchesPerJob; i++)
      await scheduledMessage(db, org.member, room, { content: `@**topic** ${i}`, dueIn: -9 });
    const continuation = await run();
    if (!continuation) throw new Error("it leaves no job");
    expect(await pending()).to.equal(1);
    const { payload, delayMs = 0, yields } = continuation;
    expect(yields, "behind the delivery jobs of others").to.equal(true);
    expect(deliverDue.key(payload)).not.to.equal(
      deliverDue.key({ realmId: org.realm.id, second: 1 }),
    );
    expect(delayMs).to.equal(0);
    expect(await run(payload)).to.equal(undefined);
    expect(await pending()).to.equal(0);
  });

  it("ends early without a slot for a long run, and continues by one batch", async () => {
    const slots = new LongRunSlots(1);
    slots.tryAcquire({});
    const services = { longRuns: slots };
    for (let i = 0; i < batchesWithoutLongRun + 2; i++)
      await scheduledMessage(db, org.member, room, { content: `@**topic** ${i}`, dueIn: -9 });
    const first = await run(undefined, services);
    expect(await pending()).to.equal(2);
    if (!first) throw new Error("it leaves no job");
    const second = await run(first.payload, services);
    expect(await pending()).to.equal(1);
    if (!second) throw new Error("it leaves no job");
    expect(await run(second.payload, services)).to.equal(undefined);
    expect(await pending()).to.equal(0);
  });

  it("releases its slot when it ends", async () => {
    const slots = new LongRunSlots(1);
    for (let i = 0; i <= batchesWithoutLongRun; i++)
      await scheduledMessage(db, org.member, room, { content: `@**topic** ${i}`, dueIn: -9 });
    await run(undefined, { longRuns: slots });
    expect(await pending()).to.equal(0);
    expect(slots.tryAcquire({})).to.equal(true);
    expect(slots.tryAcquire({})).to.equal(false);
  });

  it("retries soon while another worker has the delivery lock, with one job for all attempts", async () => {
    await scheduledMessage(db, org.member, room, { dueIn: -9 });
    await db.transaction(async (tx) => {
      await tx.rows("SELECT pg_advisory_xact_lock($1, $2)", [lockClass.deliver, org.realm.id]);
      const ids = new Map<number, Set<string>>();
      for (let i = 0; i < 10; i++) {
        const again = await run();
        if (!again) throw new Error("it leaves no job");
        const { payload, delayMs } = again;
        expect(delayMs).to.be.within(3_000, 6_000);
        const met = ids.get(payload.second) ?? new Set();
        ids.set(payload.second, met.add(deliverDue.key(payload)));
      }
      for (const [second, met] of ids) {
        expect(second % 3).to.equal(0);
        expect(met.size).to.equal(1);
      }
    });
    expect(await run()).to.equal(undefined);
    expect(await pending()).to.equal(0);
  });
});
