import type { Store } from "@carillon/db";
import {
  counter,
  createRegistry,
  measureRequests,
  serveProbes,
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
  const handovers = counter(registry, "carillon_bouncer_handovers_total");
  const request = measureRequests(registry);
  const { METRICS_PORT: port, HOST: host } = env;
  await serveProbes(
    { port, host, registry, pool: store.pool, health: () => store.answers(), log },
    { shutdown, order: 2 },
  );
  return { request, handover: (kind, outcome) => handovers.inc({ kind, outcome }) };
}
