import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyMigrations } from "@carillon/db";
import { startEmbeddedPostgres, testSettings } from "@carillon/embedded";
import { silentLogger } from "@carillon/kit";
import { prepareQueues } from "@carillon/queue";
import { copyInitialisedDataDir } from "./initialised-data-dir.ts";
import { longTimeouts } from "./long-timeouts.ts";
import { redisCommand } from "./redis.ts";
import { reservePort } from "./reserve-port.ts";
import { waitFor } from "./wait-for.ts";

/** A server for one suite, which can be killed and restarted. */
export interface OwnServer {
  /** Stays the same over restarts. */
  readonly url: string;
  /** Stops it: gracefully on SIGTERM, immediately on SIGQUIT or SIGKILL. Resolves when it has exited. */
  stop(signal: NodeJS.Signals): Promise<void>;
  /** Starts it again, at the same address. */
  start(): Promise<void>;
  /** Stops it permanently, and removes its data. */
  close(): Promise<void>;
}

/** A Redis server that keeps nothing on disk: after a restart it is empty. */
export async function startOwnRedis(): Promise<OwnServer> {
  const folder = await mkdtemp(join(tmpdir(), "carillon-redis-"));
  const port = await reservePort();
  const url = `redis://127.0.0.1:${port}`;
  const options = ["--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "no"];
  let child: ChildProcess | undefined;
  const stop = async (signal: NodeJS.Signals) => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  };
  const start = async () => {
    child = spawn("redis-server", ["--port", String(port), ...options], { stdio: "ignore" });
    await waitFor(() => redisCommand(url, "PING"), { what: "Redis answers" });
  };
  await start();
  return {
    url,
    stop,
    start,
    async close() {
      await stop("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A PostgreSQL server with one migrated database. Commits survive the end of the server, if not that of the machine. */
export async function startOwnPostgres(): Promise<OwnServer> {
  const folder = await mkdtemp(join(tmpdir(), "carillon-postgres-"));
  const dataDir = join(folder, "data");
  await copyInitialisedDataDir(dataDir);
  const settings = { ...testSettings, synchronous_commit: "on" };
  const launch = () => startEmbeddedPostgres({ dataDir, log: silentLogger, settings });
  let server = await launch();
  const { url } = server;
  await applyMigrations(url);
  await prepareQueues({ databaseUrl: url, log: silentLogger, connectMs: longTimeouts.connectMs });
  return {
    url,
    async stop(signal) {
      process.kill(server.pid, signal);
      await server.ended;
    },
    async start() {
      server = await launch();
    },
    async close() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
