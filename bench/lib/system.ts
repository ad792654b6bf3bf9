import { type Site, secretsOf } from "@carillon/model";
import { startChild, type Child } from "./child.ts";
import type { BenchDatabase } from "./servers.ts";

export const secretKey = "the benches seal their API keys with these words";

/** The installation that the benches run in. */
export const benchSite: Site = {
  url: "http://carillon.test",
  secrets: secretsOf(secretKey),
  development: false,
  pushConfigured: false,
};

/** The variables of a gateway of the benches. */
export function gatewayEnvironment({
  url,
  redisUrl,
}: BenchDatabase): Record<string, string | undefined> {
  return {
    DATABASE_URL: url,
    REDIS_URL: redisUrl,
    SECRET_KEY: secretKey,
    PUBLIC_URL: benchSite.url,
    RATE_LIMITS: "off",
    NODE_ENV: "production",
  };
}

/** The worker that is shipped, as a process of its own. @param variables over the benches' own */
export async function startWorker(
  database: BenchDatabase,
  nodeOptions: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const worker = startChild(
    "worker",
    "apps/worker/dist/main.js",
    { ...gatewayEnvironment(database), ...variables },
    nodeOptions,
  );
  await worker.written("worker started");
  return worker;
}

export interface RunningGateway extends Child {
  readonly port: number;
}

/**
 * The gateway that is shipped, as a process of its own, on a free port.
 * @param variables over the benches' own
 * @param checkout folder of another checkout that is built already; this one's unless given
 */
export async function startGateway(
  database: BenchDatabase,
  nodeOptions: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
  checkout?: string,
): Promise<RunningGateway> {
  const gateway = startChild(
    "gateway",
    "apps/gateway/dist/main.js",
    { ...gatewayEnvironment(database), PORT: "0", ...variables },
    nodeOptions,
    checkout,
  );
  await gateway.written("gateway started");
  const port = Number(/"port":(\d+)/.exec(gateway.output())?.[1]);
  return { ...gateway, port };
}
