import { reservePort, type TestProcess, type Variables } from "@carillon/testkit";
import { expect } from "chai";
import { openWorld, type World } from "../../faults/support/world.ts";
import { startBurst } from "./burst.ts";
import { startTraffic } from "./traffic.ts";

/**
 * Maximum seconds from a failover until all overdue messages are sent: clients reconnect within one second, and the
 * sweep finds lost jobs within 35.
 */
export const sweptWithin = 36;

/** Two gateways and two workers on one `REDIS_URL`. */
export interface RedisFleet {
  readonly world: World;
  readonly gateways: ReadonlyArray<TestProcess & { readonly url: string }>;
  /** Returns the status of `GET /health` of a gateway, and of a worker. */
  health(): Promise<{ gateway: number; worker: number }>;
  /** Ends the fleet, and checks that no process has ended earlier. */
  close(): Promise<void>;
}

export async function startRedisFleet(redisUrl: string, more: Variables = {}): Promise<RedisFleet> {
  const world = await openWorld("redis", { redisUrl });
  try {
    const probes = String(await reservePort());
    const gateways = [await world.gateway(more), await world.gateway(more)];
    const workers = [
      await world.worker({ ...more, METRICS_PORT: probes }),
      await world.worker(more),
    ];
    const status = async (url: string) => (await fetch(`${url}/health`)).status;
    return {
      world,
      gateways,
      health: async () => ({
        gateway: await status(gateways[0]?.url ?? ""),
        worker: await status(`http://127.0.0.1:${probes}`),
      }),
      async close() {
        const ended = [...gateways, ...workers].filter((one) => !one.running());
        await world.close();
        expect(ended.map((one) => one.output())).to.deep.equal([]);
      },
    };
  } catch (error) {
    await world.close();
    throw error;
  }
}

/**
 * Runs `fault` while people write and a thousand messages fall due. Checks that no request fails, and that each message
 * is sent once and received once.
 * @param fault resolves with the seconds for which Redis was away
 * @returns how late the latest message of the burst was, and how long Redis was away, both in seconds
 */
export async function duringBurst(
  { world, gateways }: RedisFleet,
  fault: () => Promise<number>,
): Promise<{ late: number; away: number }> {
  const people = await startTraffic(world.db, gateways[0]?.url ?? "");
  await people.flows();
  const burst = await startBurst(world, { count: 1_000, dueIn: 2, seconds: 8 });
  await burst.underWay();
  const away = await fault();
  await people.flows();
  const late = await burst.end();
  expect(await people.end(), "failed requests").to.deep.equal([]);
  return { late, away };
}

/** Returns how many seconds `work` takes. */
export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
}

export function report({ late, away }: { late: number; away: number }): void {
  console.log(
    `      Redis was away for ${away.toFixed(1)} s, the latest message was ${late.toFixed(1)} s late`,
  );
}
