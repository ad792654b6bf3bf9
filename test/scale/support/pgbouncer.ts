import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reservePort, waitFor } from "@carillon/testkit";
import pg from "pg";

/** A PgBouncer in transaction mode in front of one server. */
export interface PgBouncer {
  /** The address of a database behind it. */
  url(database: string): string;
  /** Kills PgBouncer and its connections, and starts it again at the same port. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Maximum connections to PostgreSQL for each database and user. */
const poolSize = 20;

/** Returns the version of the installed PgBouncer, or undefined. */
export function pgBouncerVersion(): string | undefined {
  try {
    return /PgBouncer (\S+)/.exec(
      execFileSync("pgbouncer", ["--version"], { encoding: "utf8" }),
    )?.[1];
  } catch {
    return undefined;
  }
}

/** @param server the URL of PostgreSQL, whose user needs no password */
export async function startPgBouncer(server: string): Promise<PgBouncer> {
  const there = new URL(server);
  const folder = await mkdtemp(join(tmpdir(), "carillon-pgbouncer-"));
  const port = await reservePort();
  const file = join(folder, "pgbouncer.ini");
  const user = there.username;
  await writeFile(
    file,
    `[databases]
* = host=${there.hostname} port=${there.port} user=${user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 1000
`,
    { mode: 0o644 },
  );
  // PgBouncer refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(folder, Number(execFileSync("id", ["-u", "postgres"])), 0);
  const options = ["--quiet", ...(isRoot ? ["--user=postgres"] : []), file];
  const url = (database: string) => `postgresql://${user}@127.0.0.1:${port}/${database}`;
  let child: ChildProcess | undefined;
  const stop = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  };
  const start = async () => {
    child = spawn("pgbouncer", options, { stdio: "ignore", cwd: folder });
    await waitFor(() => answers(url("postgres")), { what: "PgBouncer answers" });
  };
  await start();
  return {
    url,
    async restart() {
      await stop();
      await start();
    },
    async close() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on("error", () => {});
  return client
    .connect()
    .then(() => client.query("SELECT 1"))
    .then(
      () => true,
      () => false,
    )
    .finally(() => client.end());
}
