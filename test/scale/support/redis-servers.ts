import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reservePort, waitFor } from "@carillon/testkit";
import { Redis, type RedisOptions } from "ioredis";

/** The program of the servers: Redis, or Valkey where only that is installed. */
export const redisProgram = ["redis-server", "valkey-server"].find(
  (name) => !spawnSync(name, ["--version"]).error,
);

/** A process of Redis that a test kills, freezes and starts again. */
export interface RedisServer {
  readonly port: number;
  /** Port of the Cluster bus; 0 outside a Cluster. */
  readonly busPort: number;
  /** Sends one command over the test's own connection. */
  command(...words: Array<string | number>): Promise<unknown>;
  /** Sends a signal; SIGSTOP freezes it, SIGCONT resumes it. */
  signal(name: NodeJS.Signals): void;
  /** Kills the server at once (SIGKILL). */
  kill(): Promise<void>;
  /** Starts it again with its files. */
  start(): Promise<void>;
}

/** Servers of one suite, in one folder. */
export class RedisServers {
  readonly #folder = mkdtemp(join(tmpdir(), "carillon-redis-"));
  readonly #all: RedisServer[] = [];

  /**
   * Starts a server.
   * @param lines its configuration, after the port
   * @param access how the test itself connects
   */
  async add(
    lines: readonly string[],
    args: readonly string[] = [],
    access: RedisOptions = {},
  ): Promise<RedisServer> {
    const port = await reservePort();
    const folder = join(await this.#folder, String(port));
    await mkdir(folder);
    const file = join(folder, "redis.conf");
    const listening = access.tls ? [`tls-port ${port}`, "port 0"] : [`port ${port}`];
    const basics = ["bind 127.0.0.1", `dir ${folder}`, "logfile redis.log"];
    // The default, `port` + 10,000, may be the port of an outgoing connection.
    const busPort = lines.includes("cluster-enabled yes") ? await reservePort() : 0;
    if (busPort) basics.push(`cluster-port ${busPort}`);
    await writeFile(file, [...listening, ...basics, ...lines, ""].join("\n"));
    let child: ChildProcess | undefined;
    const client = new Redis({
      host: "127.0.0.1",
      port,
      lazyConnect: true,
      enableReadyCheck: false,
      maxRetriesPerRequest: 0,
      commandTimeout: 2_000,
      ...access,
    });
    // The command reports the error.
    client.on("error", () => undefined);
    const server: RedisServer = {
      port,
      busPort,
      command: (name, ...words) => client.call(String(name), ...words),
      signal: (name) => void child?.kill(name),
      async kill() {
        if (!child || child.exitCode !== null || child.signalCode !== null) return;
        const gone = once(child, "exit");
        child.kill("SIGKILL");
        await gone;
      },
      async start() {
        child = spawn(redisProgram ?? "redis-server", [file, ...args], { stdio: "ignore" });
        const started = child;
        const answers = async () => {
          if (started.exitCode !== null)
            throw new Error(
              `Redis exited with ${started.exitCode}: ${await readFile(join(folder, "redis.log"), "utf8")}`,
            );
          return server.command("PING").then(
            () => true,
            () => false,
          );
        };
        await waitFor(answers, { what: `Redis answers on port ${port}` });
      },
    };
    this.#all.push({ ...server, kill: () => server.kill().finally(() => client.disconnect()) });
    await server.start();
    return server;
  }

  /** Kills all, and removes their files. */
  async close(): Promise<void> {
    await Promise.all(this.#all.map((server) => server.kill()));
    await rm(await this.#folder, { recursive: true, force: true });
  }
}
