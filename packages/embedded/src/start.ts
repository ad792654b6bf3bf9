import { StartupError, isAlive, randomKey, type Logger } from "@carillon/kit";
import { existsSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { chooseAccount } from "./account.ts";
import { findBinaries } from "./binaries.ts";
import { prepareDataDir } from "./data-dir.ts";
import { initialise, role } from "./initialise.ts";
import { launch } from "./launch.ts";
import { readPostmaster, servesCluster, type Postmaster } from "./postmaster-pid.ts";
import { storeSecret, readOrCreateSecret } from "./secrets.ts";
import { durableSettings, type Settings } from "./settings.ts";
import { stopServer } from "./stop.ts";

/** A server that runs until `stop`, even if this process ends. */
export interface EmbeddedPostgres {
  /** `postgresql://carillon:…@127.0.0.1:PORT/carillon` */
  url: string;
  pid: number;
  /** Whether it was running already, left behind by a killed process. */
  adopted: boolean;
  /** Resolves when the server has ended, stopped or not. */
  ended: Promise<void>;
  /** Closes all connections and stops the server, within about 10 s. */
  stop(): Promise<void>;
}

/**
 * Starts the PostgreSQL server of a data directory: adopts one that is running, else starts it, and first initialises
 * the directory when it is empty. It listens on 127.0.0.1 only, keeps its port while that is free, and writes its log
 * to `postgres.log` beside `postgres/`.
 * @param options.dataDir created when missing
 * @param options.settings override `durableSettings`
 * @throws StartupError that says what the operator can do
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  log: Logger;
  settings?: Settings;
}): Promise<EmbeddedPostgres> {
  const { log } = options;
  const dataDir = await realpath(await prepareDataDir(options.dataDir));
  const cluster = join(dataDir, "postgres");
  const settings = { ...durableSettings, ...options.settings };
  const binaries = await findBinaries();
  const account = chooseAccount(cluster, dataDir, binaries.postgres);

  await checkVersion(cluster, binaries.major);
  const password = await readOrCreateSecret(dataDir, "POSTGRES_PASSWORD", () => randomKey(32));

  const running = await settledPostmaster(cluster);
  if (running) {
    const url = urlOf(password, running.port);
    await verify(url, cluster, running);
    log.info({ postgresPid: running.pid, port: running.port }, "adopted the running PostgreSQL");
    const ended = pollEnd(running.pid);
    return {
      url,
      pid: running.pid,
      adopted: true,
      ended,
      stop: () => stopServer(running.pid, log),
    };
  }

  if (!existsSync(cluster)) {
    await initialise(cluster, password, binaries, account, settings["fsync"] !== "off");
  }
  const wanted = Number(await readOrCreateSecret(dataDir, "POSTGRES_PORT", () => "0"));
  const { child, port } = await launch({
    cluster,
    logFile: join(dataDir, "postgres.log"),
    port: wanted,
    binaries,
    account,
    settings,
  });
  if (port !== wanted) await storeSecret(dataDir, "POSTGRES_PORT", String(port));
  const pid = child.pid ?? 0;
  log.info({ postgresPid: pid, port }, "started PostgreSQL");
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    url: urlOf(password, port),
    pid,
    adopted: false,
    ended,
    stop: () => stopServer(pid, log),
  };
}

function urlOf(password: string, port: number): string {
  return `postgresql://${role}:${password}@127.0.0.1:${port}/${role}`;
}

async function checkVersion(cluster: string, major: string): Promise<void> {
  const found = await readFile(join(cluster, "PG_VERSION"), "utf8").catch(() => undefined);
  if (found === undefined && existsSync(cluster)) {
    throw new StartupError(
      `DATA_DIR holds ${cluster}, which is not a PostgreSQL data directory: move it away, or choose another DATA_DIR`,
    );
  }
  if (found !== undefined && found.trim() !== major) {
    throw new StartupError(
      `DATA_DIR holds a database of PostgreSQL ${found.trim()}, and this is PostgreSQL ${major}: back it up with the version of Carillon before (\`npx carillon backup FILE\`) and restore that into a new DATA_DIR with this one, or choose another DATA_DIR`,
    );
  }
}

/** Returns the server running in `cluster` when it is neither starting nor stopping; undefined when there is none. */
async function settledPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const found = await readPostmaster(cluster);
    if (!found || !(await servesCluster(found.pid, cluster))) return undefined;
    if (found.status === "ready") return found;
    if (Date.now() > deadline) {
      throw new StartupError(
        `the PostgreSQL server in DATA_DIR (process ${found.pid}) has been ${found.status || "starting"} for a minute: look into postgres.log there, or end it`,
      );
    }
    await pause(50);
  }
}

/** Checks that the running server is ours: it accepts our password and serves this data directory. */
async function verify(url: string, cluster: string, found: Postmaster): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ data_directory: string }>("SHOW data_directory");
    const served = rows[0]?.data_directory;
    if (served !== undefined && (await realpath(served)) === cluster) return;
    throw new Error(`it serves ${served}`);
  } catch (error) {
    throw new StartupError(
      `process ${found.pid} has the PostgreSQL server of DATA_DIR, and it cannot be used (${(error as Error).message}): stop it and start again`,
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function pollEnd(pid: number): Promise<void> {
  while (isAlive(pid)) await pause(500, undefined, { ref: false });
}
