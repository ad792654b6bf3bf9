import { fileURLToPath } from "node:url";

import { connectDatabase, startRecurring } from "@carillon/db";
import { type LoggedIn, authenticate, checkSecretKey, eventPresenter } from "@carillon/domain";
import { type Site, secretsOf } from "@carillon/model";
import { EventHub } from "@carillon/events";
import { queueNames } from "@carillon/jobs";
import {
  clientAddress,
  listen,
  publicUrl,
  required,
  unbuiltVariables,
  type Environment,
  type Logger,
  type Shutdown,
} from "@carillon/kit";
import { connectQueues, serveOutbox } from "@carillon/queue";

import { buildApp } from "./app.ts";
import { loadHandlers } from "./http/load-handlers.ts";
import { closeGatewayServer, createGatewayServer } from "./http/server.ts";
import { openLimits } from "./limits/open-limits.ts";
import { observeGateway } from "./observe.ts";
import { gatewayTasks } from "./recurring.ts";
import { bindServices, type Services } from "./services.ts";

/** Connections for requests; BullMQ has a pool of its own (docs/operating.md, connections). */
const poolSize = 10;

export const operationsFolder = fileURLToPath(new URL("./operations", import.meta.url));

/**
 * Starts a gateway process and resolves with the port it listens on.
 * @throws StartupError with the one line for the person who started it; it has not listened then
 */
export async function startGateway(
  env: Environment,
  log: Logger,
  shutdown: Shutdown,
): Promise<number> {
  const databaseUrl = required(env, "DATABASE_URL", "the PostgreSQL to work on");
  const secretKey = required(
    env,
    "SECRET_KEY",
    "the secret of the installation, the same for all processes",
  );
  const db = await connectDatabase(databaseUrl, {
    max: poolSize,
    name: "gateway",
    // What requests may take, and a second.
    transactionTimeoutMs: 31_000,
  });
  shutdown.add(3, "database", () => db.close());
  const secrets = secretsOf(secretKey);
  await checkSecretKey(db, secrets);
  const queues = await connectQueues({
    databaseUrl,
    redisUrl: env.REDIS_URL,
    log,
    poolSize: queueNames.length + 1,
  });
  shutdown.add(2, "queues", () => queues.close());
  const site: Site = {
    url: publicUrl(env),
    secrets,
    development: env.DEVELOPMENT,
    // Whatever the variables say, nothing is pushed yet.
    pushConfigured: false,
  };
  const events = new EventHub({ db, presenter: eventPresenter(db, site), log });
  const outbox = serveOutbox({
    db,
    queues,
    redisUrl: env.REDIS_URL,
    log,
    onRing: (realmId) => events.ring(realmId),
    onReconnected: () => void events.look().catch(() => {}),
  });
  shutdown.add(1, "outbox", () => outbox.close());
  for (const line of unbuiltVariables(env)) log.warn(line);
  const limits = openLimits({ env, log, db, secrets }, shutdown);
  const observed = await observeGateway(
    { env, log, db, events, limits, missed: () => outbox.missed() },
    shutdown,
  );
  const closing = new AbortController();
  const app = buildApp<Services, LoggedIn>({
    handlers: await loadHandlers<Services>(operationsFolder),
    services: { db, site, events, guesses: limits.guesses, log },
    bindServices,
    authenticate: (credentials, services) => authenticate(services.db, site, credentials),
    limiter: limits.requests,
    clientAddress: clientAddress(env),
    log,
    onRequest: observed.onRequest,
    health: async () => {
      if (!(await db.answers())) throw new Error("the database does not answer");
    },
    closing: closing.signal,
    serverUrl: site.url,
  });
  const server = createGatewayServer(app);
  const port = await listen(server, env.PORT, env.HOST, "PORT");
  shutdown.add(0, "http", () => closeGatewayServer(server));
  shutdown.add(0, "polls", () => {
    closing.abort();
    return events.close();
  });
  startRecurring(
    { process: "gateway", tasks: gatewayTasks(observed.counters), db, log },
    shutdown,
    { first: 0, last: 1 },
  );
  log.info({ host: env.HOST, port, queues: queues.backend }, "gateway started");
  return port;
}
