import {
  redisUrl,
  reservePort,
  waitFor,
  type QueueBackend,
  type TestProcess,
} from "@carillon/testkit";
import { expect } from "chai";
import { openWorld, type World } from "../../faults/support/world.ts";
import { startProxy, type Proxy } from "./proxy.ts";

export type FleetGateway = TestProcess & { readonly url: string };

/** A worker, with the application name of its connections. */
export type FleetWorker = TestProcess & { readonly name: string };

/** How long the server keeps the transaction of a frozen worker, in milliseconds; ten seconds outside of tests. */
const frozenMs = 3_000;

/** Two built gateways behind a proxy, and three built workers, on one PostgreSQL. */
export interface Fleet {
  readonly world: World;
  readonly proxy: Proxy;
  readonly gateways: FleetGateway[];
  readonly workers: FleetWorker[];
  /** Starts another gateway and adds it to the proxy; with a port, at the address of a former gateway. */
  addGateway(port?: number): Promise<FleetGateway>;
  addWorker(): Promise<FleetWorker>;
  close(): Promise<void>;
}

/** Redis if it is installed. */
export const fleetBackend: QueueBackend = redisUrl() ? "redis" : "postgres";

export async function startFleet(): Promise<Fleet> {
  const world = await openWorld(fleetBackend);
  const proxy = await startProxy();
  const gateways: FleetGateway[] = [];
  const workers: FleetWorker[] = [];
  let started = 0;
  const fleet: Fleet = {
    world,
    proxy,
    gateways,
    workers,
    async addGateway(port) {
      const PORT = String(port ?? (await reservePort()));
      const made = await world.gateway({ PORT });
      if (port === undefined) proxy.add(made.url);
      gateways.push(made);
      return made;
    },
    async addWorker() {
      const name = `worker ${++started}`;
      const url = new URL(world.db.url);
      url.searchParams.set("application_name", name);
      url.searchParams.set("idle_in_transaction_session_timeout", String(frozenMs));
      const made = Object.assign(await world.worker({ DATABASE_URL: url.href }), { name });
      workers.push(made);
      return made;
    },
    async close() {
      await proxy.close();
      await world.close();
    },
  };
  try {
    for (let n = 0; n < 2; n++) await fleet.addGateway();
    for (let n = 0; n < 3; n++) await fleet.addWorker();
  } catch (error) {
    await fleet.close();
    throw error;
  }
  return fleet;
}

/** Stops a process with SIGTERM and expects a clean exit. */
export async function retire<T extends TestProcess>(from: T[], one: T): Promise<void> {
  from.splice(from.indexOf(one), 1);
  expect(await one.stop(), one.output()).to.deep.equal({ code: 0, signal: null });
}

/** Waits until the gateway has answered this many more requests. */
export async function takesItsShare(proxy: Proxy, gateway: FleetGateway, count = 20) {
  const before = proxy.answered(gateway.url);
  await waitFor(() => proxy.answered(gateway.url) >= before + count, {
    what: `${gateway.url} answers ${count} requests`,
  });
}
