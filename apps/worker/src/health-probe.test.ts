import { heartbeatOf } from "@carillon/scheduling";
import { lockClass } from "@carillon/db";
import { deliverDue, registerPushToken } from "@carillon/jobs";
import { silentLogger } from "@carillon/kit";
import {
  channel,
  forEachBackend,
  organization,
  scheduledMessage,
  startWorker,
  useDatabase,
  useQueues,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";

import { startHealthMonitor } from "./health-monitor.ts";
import { healthProbe } from "./health-probe.ts";

forEachBackend("the health of a worker", (backend) => {
  const db = useDatabase();
  const queues = useQueues(backend, db);
  let realmId: number;
  let ticks = 0;

  before(async () => {
    const { realm, member } = await organization(db);
    realmId = realm.id;
    const room = await channel(db, realm, { subscribers: [member] });
    await scheduledMessage(db, member, room, { dueIn: -45 });
  });

  const runDeliveryJob = () =>
    queues.publish([{ job: deliverDue, payload: { realmId, second: 1, tick: ++ticks } }]);

  /** What the monitor says after three looks, with `between` before each but the first. */
  async function afterThreeLooks(
    begun: () => number,
    between: () => Promise<unknown> = async () => {},
  ): Promise<string | undefined> {
    let left: string | undefined;
    const monitor = startHealthMonitor({
      log: silentLogger,
      intervalMs: 3_600_000,
      exit: (why) => (left = why),
      probe: healthProbe({
        databaseUrl: db.url,
        db,
        queues,
        begun: () => new Map([["delivery", begun()]]),
      }),
    });
    try {
      await monitor.check();
      for (let look = 0; look < 2; look++) {
        await between();
        await monitor.check();
      }
    } finally {
      monitor.stop();
    }
    return left;
  }

  it("fails when work is due and no worker runs any", async () => {
    expect(await afterThreeLooks(() => 0)).to.contain("work is due");
  });

  it("passes when an organization is stuck but another worker runs jobs", async () => {
    let completed = 0;
    const other = heartbeatOf("worker", () => ({ completed, failed: 0 }));
    await other.beat(db);
    const works = async () => {
      completed++;
      await other.beat(db);
    };
    expect(await afterThreeLooks(() => 0, works)).to.equal(undefined);
    await other.end(db);
  });

  it("passes when an organization stays stuck but this worker runs jobs", async () => {
    const worker = await startWorker(db, queues);
    try {
      await db.transaction(async (tx) => {
        await tx.rows("SELECT pg_advisory_xact_lock($1, $2)", [lockClass.deliver, realmId]);
        const begun = () => worker.runner.begun().get("delivery") ?? 0;
        const works = async () => {
          const earlier = begun();
          await runDeliveryJob();
          await waitFor(() => begun() > earlier, { what: "a job has begun" });
        };
        expect(await afterThreeLooks(begun, works)).to.equal(undefined);
        expect(begun()).to.be.greaterThan(1);
      });
    } finally {
      await worker.close();
    }
  });

  it("passes when jobs wait in a paused queue", async () => {
    const payload = { intentId: 1, version: 1 };
    await queues.publish([{ job: registerPushToken, payload }]);
    const look = async () => {
      const begun = () => new Map([["bouncer", 0]] as const);
      const probe = healthProbe({ databaseUrl: db.url, db, queues, begun });
      return (await probe(new AbortController().signal)).queues;
    };
    expect(await look()).to.containSubset([{ name: "bouncer", waiting: 1 }]);
    await queues.pauseFor("bouncer", 3_600_000);
    expect(await look()).to.containSubset([{ name: "bouncer", waiting: 0 }]);
  });

  it("fails when jobs wait that this worker does not take, even if others work", async () => {
    await runDeliveryJob();
    let completed = 0;
    const other = heartbeatOf("worker", () => ({ completed, failed: 0 }));
    await other.beat(db);
    const works = async () => {
      completed++;
      await other.beat(db);
    };
    expect(await afterThreeLooks(() => 7, works)).to.contain("jobs wait in the queue delivery");
    await other.end(db);
  });
});
