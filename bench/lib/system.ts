import { type Site, secretsOf } from "@carillon/model";
import { startChild, type Child } from "./child.ts";
import type { BenchDatabase } from "./servers.ts";

export const secretKey = "the benches seal their API keys with these words";

/** The installation in which benches run. */
export const benchSite: Site = {
  url: "http://carillon.test",
  secrets: secretsOf(secretKey),
  development: false,
  pushConfigured: false,
  uploads: { maxFileSize: 100 * 1024 ** 2, quota: undefined },
};

/** Returns the environment variables of a gateway or worker in a bench. */
export function serverEnvironment({
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

/** Starts the built worker in a separate process. @param variables override those of {@link serverEnvironment} */
export async function startWorker(
  database: BenchDatabase,
  nodeOptions: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
  checkout?: string,
): Promise<Child> {
  const worker = startChild(
    "worker",
    "apps/worker/dist/main.js",
    { ...serverEnvironment(database), ...variables },
    nodeOptions,
    checkout,
  );
  await worker.written("worker started");
  return worker;
}

export interface RunningGateway extends Child {
  readonly port: number;
}

/**
 * Starts the built gateway in a separate process on a free port.
 * @param variables override those of {@link serverEnvironment}
 * @param checkout folder of another checkout that is already built; this one unless given
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
    { ...serverEnvironment(database), PORT: "0", ...variables },
    nodeOptions,
    checkout,
  );
  await gateway.written("gateway started");
  const port = Number(/"port":(\d+)/.exec(gateway.output())?.[1]);
  return { ...gateway, port };
}
