import { fork, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { closeSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readMigrations, stateOfTables } from "@carillon/db";
import {
  preloadEnvironment,
  releasePreloaded,
  StartupError,
  type childEnvironment,
  type Logger,
} from "@carillon/kit";
import type { LogFile } from "./log-file.ts";

/** One of BullMQ's own tables. Named here because importing `queue` would load BullMQ at the start. */
const queueTable = "bullmq.job";

/** How to run the process that migrates, creates the queues' tables and the first organization. */
export interface PreparationPlan {
  /** `prepare-main`. */
  script: string;
  dataDir: string;
  logFile: LogFile;
  log: Logger;
}

/** Runs the preparing process, which loads its code early if it is certainly needed. */
export class Preparation {
  readonly #plan: PreparationPlan;
  #child: ChildProcess | undefined;

  constructor(plan: PreparationPlan) {
    this.#plan = plan;
  }

  /** Has the process load its code before the database is up. */
  preload(): void {
    this.#fork();
  }

  /**
   * Prepares the database, unless this build has done so and the database has not changed since.
   * @param variables the environment of the process
   * @param sure whether it is known to be necessary
   * @throws StartupError with the last log line of the process
   */
  async run(variables: ReturnType<typeof childEnvironment>, sure: boolean): Promise<void> {
    const { DATABASE_URL: databaseUrl = "", REDIS_URL: redisUrl } = variables;
    const { log, logFile } = this.#plan;
    // Redis has settings to check, which may change at any time.
    const needed = sure || redisUrl !== undefined || !(await this.#isDone(databaseUrl));
    if (!needed) return;
    const from = logFile.size();
    const child = this.#child ?? this.#fork();
    const ended = once(child, "exit");
    releasePreloaded(child, variables);
    const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
    this.#child = undefined;
    log.info({ code, signal }, "prepared");
    if (code !== 0)
      throw new StartupError(logFile.lastErrorLine(from) || `it ended (${logFile.path})`);
    await this.#remember(databaseUrl);
  }

  /** Kills the process; uncommitted work is rolled back. */
  async stop(): Promise<void> {
    if (!this.#child) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }

  #fork(): ChildProcess {
    const output = this.#plan.logFile.open();
    const child = fork(this.#plan.script, [], {
      env: preloadEnvironment(),
      stdio: ["ignore", output, output, "ipc"],
      detached: true,
    });
    closeSync(output);
    child.once("exit", () => (this.#child = undefined));
    this.#child = child;
    return child;
  }

  async #isDone(databaseUrl: string): Promise<boolean> {
    try {
      return readFileSync(this.#stamp(), "utf8") === (await this.#state(databaseUrl));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
      throw error;
    }
  }

  async #remember(databaseUrl: string): Promise<void> {
    const state = await this.#state(databaseUrl);
    if (state !== undefined) writeFileSync(this.#stamp(), state, { mode: 0o600 });
  }

  /** A fingerprint of the build, whose entry names its chunks by content, and of the database. */
  async #state(databaseUrl: string): Promise<string | undefined> {
    // A source file does not identify the files that it imports.
    const tables = this.#plan.script.endsWith(".ts")
      ? undefined
      : await stateOfTables(databaseUrl, [queueTable]);
    if (tables === undefined) return undefined;
    const build = createHash("sha256").update(readFileSync(this.#plan.script));
    for (const { name, checksum } of await readMigrations()) build.update(`${name} ${checksum} `);
    return `${build.digest("hex")} ${tables}`;
  }

  #stamp(): string {
    return join(this.#plan.dataDir, "prepared");
  }
}
