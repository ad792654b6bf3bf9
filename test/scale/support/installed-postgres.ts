import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { appendFile, chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { reservePort, waitFor } from "@carillon/testkit";
import pg from "pg";

const run = promisify(execFile);

/** The folder of Debian's packages of PostgreSQL, because the embedded one has no `pg_basebackup`. */
const installed = "/usr/lib/postgresql";

/** Settings of a server, as in `postgresql.conf`. */
export type ServerSettings = Readonly<Record<string, string | number>>;

/** A server of an installed PostgreSQL. Its superuser `postgres` needs no password. */
export interface InstalledServer {
  readonly port: number;
  readonly url: string;
  start(): Promise<void>;
  /** Kills the server and its processes at once. */
  kill(): Promise<void>;
  /** Sends a signal to the server and its processes. */
  signal(name: NodeJS.Signals): void;
  /** Appends settings to its file, and lets it read the file again. */
  configure(settings: ServerSettings): Promise<void>;
  promote(): Promise<void>;
  query<Row extends object>(text: string): Promise<Row[]>;
}

/** Servers with a common folder. */
export interface InstalledPostgres {
  /** Makes a server, or a standby of the one at port `primary`. Does not start it. */
  server(name: string, primary?: number): Promise<InstalledServer>;
  /** Kills all servers, and removes their data. */
  close(): Promise<void>;
}

/** Returns the programs of the newest PostgreSQL that is installed, or undefined if there is none. */
export function installedPrograms(): string | undefined {
  if (!existsSync(installed)) return undefined;
  const versions = readdirSync(installed).map(Number);
  return versions
    .toSorted((a, b) => b - a)
    .map((version) => join(installed, String(version), "bin"))
    .find((folder) => existsSync(join(folder, "pg_basebackup")));
}

/** @param programs the folder of PostgreSQL's programs */
export async function useInstalledPostgres(
  programs: string,
  settings: ServerSettings,
): Promise<InstalledPostgres> {
  const folder = await mkdtemp(join(tmpdir(), "carillon-installed-"));
  // PostgreSQL refuses to run as root.
  const account = process.getuid?.() === 0 ? await postgresAccount() : undefined;
  if (account) await chown(folder, account.uid, account.gid);
  const program = (name: string, ...args: string[]) =>
    run(join(programs, name), args, { ...account, cwd: folder });
  const servers: InstalledServer[] = [];

  const describeServer = (name: string, port: number): InstalledServer => {
    const data = join(folder, name);
    const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
    let child: ChildProcess | undefined;
    const running = () => child && child.exitCode === null && child.signalCode === null;
    const one: InstalledServer = {
      port,
      url,
      async start() {
        const args = ["-D", data, "-p", String(port), "-c", `unix_socket_directories=${folder}`];
        const options = { ...account, cwd: folder, stdio: "ignore" } as const;
        child = spawn(join(programs, "postgres"), args, options);
        await waitFor(() => one.query("SELECT 1").catch(() => undefined), {
          what: `the ${name} answers`,
        });
      },
      signal(which) {
        const pid = child?.pid;
        if (pid === undefined || !running()) return;
        // Kills the server first, because it would restart its processes.
        for (const each of [pid, ...childrenOf(pid)]) signalProcess(each, which);
      },
      async kill() {
        if (!child || !running()) return;
        const gone = once(child, "exit");
        one.signal("SIGKILL");
        await gone;
      },
      async configure(given) {
        await appendFile(join(data, "postgresql.auto.conf"), lines(given));
        await program("pg_ctl", "-D", data, "reload");
      },
      promote: async () => void (await program("pg_ctl", "-D", data, "promote", "--wait")),
      async query(text) {
        const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
        client.on("error", () => {});
        try {
          await client.connect();
          return (await client.query(text)).rows;
        } finally {
          await client.end();
        }
      },
    };
    return one;
  };

  return {
    async server(name, primary) {
      const data = join(folder, name);
      if (primary !== undefined) {
        const source = ["-h", "127.0.0.1", "-p", String(primary), "-U", "postgres"];
        await program("pg_basebackup", ...source, "-D", data, "-R", "-c", "fast", "--no-sync");
      } else {
        const locale = ["--encoding=UTF8", "--locale=C.UTF-8"];
        await program(
          "initdb",
          "-D",
          data,
          "-U",
          "postgres",
          "--auth=trust",
          "--no-sync",
          ...locale,
        );
        await appendFile(join(data, "postgresql.conf"), lines(settings));
      }
      const made = describeServer(name, await reservePort());
      servers.push(made);
      return made;
    },
    async close() {
      await Promise.all(servers.map((server) => server.kill()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function lines(settings: ServerSettings): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name} = '${value}'\n`)
    .join("");
}

async function postgresAccount(): Promise<{ uid: number; gid: number }> {
  const id = async (option: string) => Number((await run("id", [option, "postgres"])).stdout);
  return { uid: await id("-u"), gid: await id("-g") };
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.split(" ").filter(Boolean).map(Number);
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // The process has already ended.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
