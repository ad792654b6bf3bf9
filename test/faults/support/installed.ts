import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectDatabase, type Database } from "@carillon/db";
import { isAlive } from "@carillon/kit";
import {
  clientOf,
  freshRedis,
  reservePort,
  startApp,
  waitFor,
  type GatewayClient,
  type ProcessExit,
  type QueueBackend,
  type TestProcess,
} from "@carillon/testkit";

/** What `npm start` creates: a data directory, two ports, and a process that can be killed and restarted. */
export interface Installed {
  /** Starts it, and waits until it reports that it is running. */
  start(): Promise<TestProcess>;
  /** Kills only the started process, with kill -9. */
  kill(): Promise<ProcessExit>;
  stop(): Promise<ProcessExit>;
  /** Kills its PostgreSQL with kill -9. */
  killPostgres(): Promise<void>;
  /** Returns its credentials and secrets, by file name. */
  credentials(): Promise<Readonly<Record<string, string>>>;
  /** Returns a client with the credentials of the member. */
  member(): Promise<GatewayClient>;
  database(): Promise<Database>;
  /** Ends running processes, and removes all files. */
  close(): Promise<void>;
}

const startMs = 150_000;

export async function install(backend: QueueBackend): Promise<Installed> {
  const dataDir = await mkdtemp(join(tmpdir(), "carillon-killed-"));
  const redis = backend === "redis" ? await freshRedis() : undefined;
  const variables = {
    PORT: String(await reservePort()),
    DASHBOARD_PORT: String(await reservePort()),
    DATA_DIR: dataDir,
    REDIS_URL: redis?.url,
  };
  let running: TestProcess | undefined;
  const current = () => {
    if (!running) throw new Error("it was never started");
    return running;
  };
  const secrets = async () =>
    JSON.parse(await readFile(join(dataDir, "secrets.json"), "utf8")) as Record<string, string>;
  const postgresPid = async () => {
    const file = await readFile(join(dataDir, "postgres", "postmaster.pid"), "utf8");
    const pid = Number(file.split("\n")[0]);
    // The file is being written: 0 would mean our own process group.
    if (!(pid > 0)) throw new Error("PostgreSQL has not written its process id yet");
    return pid;
  };
  const killPostgres = async () => {
    const pid = await postgresPid();
    process.kill(pid, "SIGKILL");
    await waitFor(() => !isAlive(pid), { what: "PostgreSQL is gone" });
  };

  return {
    async start() {
      running = startApp("standalone", variables);
      await running.waitForLine("Carillon is running.", startMs);
      return running;
    },
    kill: () => current().kill(),
    stop: () => current().stop(),
    killPostgres,
    async credentials() {
      const folder = join(dataDir, "zuliprc");
      const names = (await readdir(folder)).map((name) => join(folder, name));
      const files = [...names, join(dataDir, "secrets.json")];
      const texts = files.map(async (file) => [file, await readFile(file, "utf8")] as const);
      return Object.fromEntries(await Promise.all(texts));
    },
    async member() {
      const text = await readFile(join(dataDir, "zuliprc", "member.zuliprc"), "utf8");
      const field = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(text)?.[1] ?? "";
      return clientOf(field("site"), { email: field("email"), apiKey: field("key") });
    },
    async database() {
      const { POSTGRES_PASSWORD: password, POSTGRES_PORT: port } = await secrets();
      const url = `postgresql://carillon:${password}@127.0.0.1:${port}/carillon`;
      return connectDatabase(url, { max: 2, name: "test", connectMs: 60_000 });
    },
    async close() {
      await running?.kill();
      await killPostgres().catch(() => undefined);
      await rm(dataDir, { recursive: true, force: true, maxRetries: 50, retryDelay: 200 });
      await redis?.drop();
    },
  };
}
