import { createServer } from "node:http";
import { connectDatabase } from "@carillon/db";
import { connectWakeUps } from "@carillon/events";
import { startRecurring, publishJobsAfterCommit } from "@carillon/scheduling";
import {
  clientAddress,
  createRegistry,
  databaseAddresses,
  listen,
  measureLoopDelay,
  measureNode,
  type Environment,
  type Logger,
  type Shutdown,
} from "@carillon/kit";
import { connectQueues } from "@carillon/queue";
import { buildDashboard } from "./app.ts";
import { readLogins } from "./credentials.ts";

/** Pool sizes for our own statements and for the queues. */
const poolSize = 4;
const queuePoolSize = 3;

const mebibyte = 1_024 * 1_024;

/** Time limit of statements, so that the dashboard does not burden the database. */
const statementTimeoutMs = 5_000;

/**
 * Starts the dashboard. Resolves with its port.
 * @throws StartupError with one line for the operator, before it listens
 */
export async function startDashboard(
  env: Environment,
  log: Logger,
  shutdown: Shutdown,
): Promise<number> {
  const logins = readLogins(env);
  const { databaseUrl, directUrl } = databaseAddresses(env, "the PostgreSQL to work on");
  const db = await connectDatabase(databaseUrl, {
    directUrl,
    max: poolSize,
    name: "dashboard",
    statementTimeoutMs,
  });
  shutdown.add(3, "database", () => db.close());
  const queues = await connectQueues({
    databaseUrl: directUrl ?? databaseUrl,
    redisUrl: env.REDIS_URL,
    log,
    poolSize: queuePoolSize,
  });
  shutdown.add(2, "queues", () => queues.close());
  // Resent messages get their delivery jobs, and clients their events, right after the commit.
  const wakeUps = connectWakeUps({ db, redisUrl: env.REDIS_URL, log });
  const published = publishJobsAfterCommit({ db, queues, log });
  shutdown.add(1, "wake-ups", () => wakeUps.close());
  shutdown.add(1, "jobs of commits", () => published.close());
  const registry = createRegistry("dashboard");
  measureLoopDelay(registry);
  measureNode(registry);
  const app = buildDashboard({
    db,
    queues,
    logins,
    log,
    registry,
    clientAddress: clientAddress(env),
    quota: env.UPLOAD_QUOTA_MIB === undefined ? undefined : env.UPLOAD_QUOTA_MIB * mebibyte,
  });
  const server = createServer(app.callback());
  const port = await listen(server, env.DASHBOARD_PORT, env.HOST, "DASHBOARD_PORT");
  shutdown.add(0, "http", () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    return closed;
  });
  startRecurring({ process: "dashboard", tasks: [] }, { db, log }, shutdown, { first: 0, last: 1 });
  log.info({ host: env.HOST, port, queues: queues.backend }, "dashboard started");
  return port;
}
