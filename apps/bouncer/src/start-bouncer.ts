import { createServer } from "node:http";
import { applyMigrations, connectStore, ensureDatabase } from "@carillon/db";
import {
  clientAddress,
  listen,
  required,
  sealerOf,
  systemClock,
  type Environment,
  type Logger,
  type Shutdown,
} from "@carillon/kit";
import { buildBouncer } from "./app.ts";
import { startClearing } from "./clearing.ts";
import { observeBouncer } from "./observe.ts";
import { chooseProviders } from "./providers/choose-providers.ts";
import type { Services } from "./services.ts";
import { ensureKeyPair, keyPairs } from "./store/key-pairs.ts";
import { bouncerMigrations } from "@carillon/push";
import { putServer } from "./store/servers.ts";

const poolSize = 10;

/** Time limits of a request's head and of the whole request, in milliseconds. */
const headersTimeout = 10_000;
const requestTimeout = 30_000;
/** Time after which an idle connection is closed, in milliseconds. */
const keepAliveTimeout = 75_000;

/**
 * Starts a bouncer process. Resolves with its port.
 * @throws StartupError with one line for the operator, before it listens
 */
export async function startBouncer(
  env: Environment,
  log: Logger,
  shutdown: Shutdown,
): Promise<number> {
  const databaseUrl = required(env, "BOUNCER_DATABASE_URL", "a separate database for the bouncer");
  const secretKey = required(
    env,
    "SECRET_KEY",
    "the secret that the bouncer's tokens are sealed with",
  );
  const sealer = sealerOf(secretKey, "bouncer");
  if (env.PUSH_BOUNCER === "embedded") {
    await ensureDatabase(databaseUrl, "BOUNCER_DATABASE_URL");
    await applyMigrations(databaseUrl, bouncerMigrations);
  }
  const store = await connectStore(
    databaseUrl,
    { max: poolSize, name: "bouncer" },
    bouncerMigrations,
  );
  shutdown.add(3, "database", () => store.close());
  await ensureKeyPair(store, sealer);
  const keys = await keyPairs(store, sealer);
  if (env.PUSH_BOUNCER === "embedded") {
    const why = "the server that the bouncer is embedded for";
    const id = required(env, "PUSH_SERVER_ID", why);
    const key = required(env, "PUSH_SERVER_KEY", why);
    await putServer(store, { id, key, name: "embedded", rateLimit: null, realms: null });
  }
  const providers = await chooseProviders(env);
  shutdown.add(2, "providers", async () => {
    await Promise.all(Object.values(providers).map((provider) => provider.close()));
  });
  const measure = await observeBouncer(env, log, store, shutdown);
  const services: Services = {
    store,
    sealer,
    providers,
    clock: systemClock,
    log,
    clientAddress: clientAddress(env),
    ...(measure && { measure }),
  };
  const server = createServer(
    { headersTimeout, requestTimeout, keepAliveTimeout },
    buildBouncer(services).callback(),
  );
  const port = await listen(server, env.BOUNCER_PORT, env.HOST, "BOUNCER_PORT");
  shutdown.add(0, "http", () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    return closed;
  });
  shutdown.add(1, "clearing", startClearing(store, log));
  const names = Object.entries(providers).map(([kind, { name }]) => [kind, name] as const);
  const publicKeys = keys.map(({ publicKey }) => Buffer.from(publicKey).toString("base64"));
  log.info(
    { host: env.HOST, port, providers: Object.fromEntries(names), publicKeys },
    "bouncer started",
  );
  return port;
}
