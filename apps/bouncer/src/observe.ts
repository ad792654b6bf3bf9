import type { Store } from "@carillon/db";
import {
  counter,
  createRegistry,
  measureLoopDelay,
  measureNode,
  measurePools,
  measureRequests,
  startProbeServer,
  type Environment,
  type Logger,
  type Shutdown,
} from "@carillon/kit";
import type { Measure } from "./services.ts";

/**
 * Serves probes and metrics on `METRICS_PORT`.
 * @returns functions that count handovers and requests; undefined without a port
 * @throws StartupError naming METRICS_PORT when it cannot listen
 */
export async function observeBouncer(
  env: Environment,
  log: Logger,
  store: Store,
  shutdown: Shutdown,
): Promise<Measure | undefined> {
  if (env.METRICS_PORT === undefined) return undefined;
  const registry = createRegistry("bouncer");
  shutdown.add(1, "loop delay", measureLoopDelay(registry));
  measureNode(registry);
  measurePools(registry, { database: store.pool });
  const handovers = counter(registry, "carillon_bouncer_handovers_total");
  const request = measureRequests(registry);
  const probes = await startProbeServer({
    port: env.METRICS_PORT,
    host: env.HOST,
    registry,
    health: () => store.answers(),
    log,
  });
  shutdown.add(2, "probes", () => probes.close());
  return { request, handover: (kind, outcome) => handovers.inc({ kind, outcome }) };
}
