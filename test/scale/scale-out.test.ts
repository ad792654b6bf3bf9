import type { Database } from "@carillon/db";
import { waitFor } from "@carillon/testkit";
import { expect } from "chai";
import { gate } from "../faults/support/blockers.ts";
import { fleetBackend, retire, startFleet, takesItsShare, type Fleet } from "./support/fleet.ts";
import { startTraffic } from "./support/traffic.ts";

describe(`Two gateways and three workers under load, queues on ${fleetBackend}`, function () {
  this.timeout(400_000);
  let fleet: Fleet;
  before(async () => {
    fleet = await startFleet();
  });
  after(() => fleet?.close());
  const traffic = () => startTraffic(fleet.world.db, fleet.proxy.url);

  if (fleetBackend === "postgres") it("on Redis: needs CARILLON_TEST_REDIS_URL");

  it("are restarted one by one without a failed request or poll", async () => {
    const { gateways, workers } = fleet;
    const people = await traffic();
    await people.flows();
    for (const gateway of gateways.slice()) {
      await retire(gateways, gateway);
      const again = await fleet.addGateway(Number(new URL(gateway.url).port));
      await takesItsShare(fleet.proxy, again);
    }
    for (const worker of workers.slice()) {
      await retire(workers, worker);
      await fleet.addWorker();
    }
    await people.flows();
    expect(await people.end()).to.deep.equal([]);
  });

  it("are added and removed, and a new gateway takes its share", async () => {
    const { gateways, proxy } = fleet;
    const people = await traffic();
    await people.flows();
    const added = await fleet.addGateway();
    await takesItsShare(proxy, added);
    await people.flows();
    const [first] = gateways;
    if (!first) throw new Error("there is no gateway");
    await retire(gateways, first);
    await people.flows();
    expect(await people.end()).to.deep.equal([]);
  });

  it("continue without a frozen gateway, and use it again when it resumes", async () => {
    const people = await traffic();
    await people.flows();
    const [frozen] = fleet.gateways;
    if (!frozen) throw new Error("there is no gateway");
    frozen.signal("SIGSTOP");
    try {
      await people.flows();
      await people.flows();
    } finally {
      frozen.signal("SIGCONT");
    }
    await takesItsShare(fleet.proxy, frozen);
    const failures = await people.end();
    // The proxy's answer to requests that the frozen gateway had.
    expect(failures.filter((one) => one !== 502)).to.deep.equal([]);
  });

  it("continue without a worker that is frozen in the middle of a delivery", async () => {
    const { world, workers } = fleet;
    const people = await traffic();
    await people.flows();
    const deliveries = await gate(world.db, "UPDATE OF delivered ON scheduled_messages");
    const [name] = await waitFor(() => workersWaiting(world.db), { what: "one is delivering" });
    const frozen = workers.find((worker) => worker.name === name);
    if (!frozen) throw new Error(`there is no ${name}`);
    frozen.signal("SIGSTOP");
    await deliveries.open();
    try {
      await people.flows();
      await people.flows();
    } finally {
      frozen.signal("SIGCONT");
    }
    expect(await people.end()).to.deep.equal([]);
  });
});

/** Names of the workers that wait for another session in a transaction. */
async function workersWaiting(db: Database): Promise<string[] | undefined> {
  const rows = await db.rows<{ name: string }>(
    `SELECT application_name AS name FROM pg_stat_activity WHERE datname = current_database()
     AND application_name LIKE 'worker %' AND wait_event_type = 'Lock' AND wait_event = 'advisory'`,
  );
  return rows.length > 0 ? rows.map(({ name }) => name) : undefined;
}
