import { PostCommitBus } from "@carillon/db";
import { connectWakeUps } from "@carillon/events";
import { deliverDue } from "@carillon/jobs";
import { silentLogger } from "@carillon/kit";
import { clientOf, waitFor } from "@carillon/testkit";
import { expect } from "chai";
import { crowd } from "../faults/support/load.ts";
import {
  duringBurst,
  report,
  secondsOf,
  startRedisFleet,
  sweptWithin,
  type RedisFleet,
} from "./support/redis-fleet.ts";
import { startCluster, type ClusterSetup } from "./support/cluster.ts";
import { redisProgram } from "./support/redis-servers.ts";

describe("Two gateways and two workers on a Redis Cluster", function () {
  this.timeout(400_000);
  if (!redisProgram) {
    it("needs redis-server or valkey-server");
    return;
  }
  let redis: ClusterSetup;
  let fleet: RedisFleet;
  before("start all", async () => {
    redis = await startCluster();
    fleet = await startRedisFleet(redis.url);
  });
  after("end all", async () => {
    await fleet?.close().finally(() => redis?.close());
  });

  it("continue while their slot moves to another master during a burst", async () => {
    // Moving these keys takes time, in which jobs are added and taken.
    const later = Array.from({ length: 3_000 }, (_, second) => ({
      job: deliverDue,
      payload: { realmId: 1, second },
      delayMs: 3_600_000,
    }));
    await fleet.world.queues.publish(later);
    const { late, away } = await duringBurst(fleet, () => secondsOf(() => redis.moveSlot()));
    report({ late, away });
    expect(late).to.be.below(away + sweptWithin);
  });

  it("continue on the replica when the master of their slot is killed during a burst", async () => {
    const former = await redis.owner();
    const { late, away } = await duringBurst(fleet, () =>
      secondsOf(async () => {
        await former.kill();
        await redis.failedOver(former);
      }),
    );
    report({ late, away });
    expect(late).to.be.below(away + sweptWithin);
    await former.start();
  });

  it("share rate limits, and wake each other's polls", async () => {
    const { world } = fleet;
    const { db } = world;
    const {
      senders: [account],
    } = await crowd(db);
    if (!account) throw new Error("there is no account");
    const limited = { RATE_LIMITS: "user=3600:10" };
    const urls = [(await world.gateway(limited)).url, (await world.gateway(limited)).url];
    const statuses: number[] = [];
    for (let n = 0; n < 14; n++) {
      const url = urls[n % urls.length] ?? "";
      statuses.push((await clientOf(url, account).get("/api/v1/users/me")).status);
    }
    expect(statuses).to.deep.equal([...Array(10).fill(200), ...Array(4).fill(429)]);

    const woken = new Set<number>();
    const options = { db, redisUrl: redis.url, log: silentLogger, postCommit: new PostCommitBus() };
    const listener = connectWakeUps({ ...options, onWake: (realmId) => woken.add(realmId) });
    const sender = connectWakeUps(options);
    try {
      const arrived = () => {
        sender.wake(12_345);
        return woken.has(12_345);
      };
      await waitFor(arrived, { what: "a wake-up arrives" });
    } finally {
      await Promise.all([listener.close(), sender.close()]);
    }
  });
});
