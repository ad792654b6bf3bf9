import { waitFor } from "@carillon/testkit";
import { expect } from "chai";
import {
  duringBurst,
  report,
  secondsOf,
  startRedisFleet,
  sweptWithin,
  type RedisFleet,
} from "./support/redis-fleet.ts";
import { redisProgram } from "./support/redis-servers.ts";
import { startSentinels, type SentinelSetup } from "./support/sentinels.ts";
import { startTraffic } from "./support/traffic.ts";

describe("Two gateways and two workers on a Redis that three Sentinels watch", function () {
  this.timeout(400_000);
  if (!redisProgram) {
    it("needs redis-server or valkey-server");
    return;
  }
  let redis: SentinelSetup;
  let fleet: RedisFleet;
  before("start all", async () => {
    redis = await startSentinels();
    fleet = await startRedisFleet(redis.url);
  });
  after("end all", async () => {
    await fleet?.close().finally(() => redis?.close());
  });

  it("continue on the replica when the master is killed in the middle of a burst", async () => {
    const former = await redis.master();
    const { late, away } = await duringBurst(fleet, () =>
      secondsOf(async () => {
        await former.kill();
        await redis.failedOver(former);
      }),
    );
    report({ late, away });
    expect(late).to.be.below(away + sweptWithin);
    await former.start();
    await redis.replicates(former);
  });

  it("continue on the replica when the master freezes, and when it comes back as a replica", async () => {
    const former = await redis.master();
    const { late, away } = await duringBurst(fleet, () =>
      secondsOf(async () => {
        former.signal("SIGSTOP");
        await redis.failedOver(former);
      }),
    );
    report({ late, away });
    expect(late).to.be.below(away + sweptWithin);
    const people = await startTraffic(fleet.world.db, fleet.gateways[0]?.url ?? "");
    former.signal("SIGCONT");
    await redis.replicates(former);
    await people.flows();
    expect(await people.end()).to.deep.equal([]);
  });

  it("send each message once, by the sweep, when the new master lacks all jobs", async () => {
    const former = await redis.master();
    const { late, away } = await duringBurst(fleet, () =>
      secondsOf(async () => {
        await former.kill();
        await redis.failedOver(former);
        // Deletes all jobs, as if the replica had lagged behind.
        await (await redis.master()).command("FLUSHALL");
      }),
    );
    report({ late, away });
    expect(late).to.be.below(away + sweptWithin);
    await former.start();
    await redis.replicates(former);
  });

  it("wait while the Sentinels have no quorum, with 503 at workers' /health, and continue on quorum", async () => {
    const former = await redis.master();
    const [first, second] = redis.sentinels;
    const healthIs = async (wanted: { gateway: number; worker: number }) => {
      await waitFor(async () => JSON.stringify(await fleet.health()) === JSON.stringify(wanted), {
        what: `health is ${JSON.stringify(wanted)}`,
      });
    };
    await healthIs({ gateway: 200, worker: 200 });
    const { late, away } = await duringBurst(fleet, () =>
      secondsOf(async () => {
        await Promise.all([first?.kill(), second?.kill()]);
        await former.kill();
        await healthIs({ gateway: 200, worker: 503 });
        await first?.start();
        await redis.failedOver(former);
      }),
    );
    report({ late, away });
    expect(late).to.be.below(away + sweptWithin);
    await healthIs({ gateway: 200, worker: 200 });
    await Promise.all([second?.start(), former.start()]);
    await redis.replicates(former);
  });
});
