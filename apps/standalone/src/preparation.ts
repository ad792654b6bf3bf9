import { fork, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { closeSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readMigrations, stateOfTables } from "@carillon/db";
import {
  heldEnvironment,
  releaseHeld,
  StartupError,
  type childEnvironment,
  type Logger,
} from "@carillon/kit";
import type { LogFile } from "./log-file.ts";

/** One of the tables that BullMQ migrates by itself; importing `queue` to ask for it would load BullMQ at the start. */
const queueTable = "bullmq.job";

/** Where a process does once what the others need: migrations, the queues' tables, the first organization. */
export interface PreparationPlan {
  /** `prepare-main`. */
  script: string;
  dataDir: string;
  logFile: LogFile;
  log: Logger;
}

/** That process; it loads its code ahead where it is known to be needed. */
export class Preparation {
  readonly #plan: PreparationPlan;
  #child: ChildProcess | undefined;

  constructor(plan: PreparationPlan) {
    this.#plan = plan;
  }

  /** Lets the process load its code while there is no database yet. */
  hold(): void {
    this.#fork();
  }

  /**
   * Prepares, unless this very build has done so and the database is as it left it.
   * @param variables what the process is told
   * @param sure true where something else is known to be missing
   * @throws StartupError with its last words
   */
  async run(variables: ReturnType<typeof childEnvironment>, sure: boolean): Promise<void> {
    const { DATABASE_URL: databaseUrl = "", REDIS_URL: redisUrl } = variables;
    const { log, logFile } = this.#plan;
    // On Redis there are settings to be looked at, which change without us.
    const needed = sure || redisUrl !== undefined || !(await this.#isDone(databaseUrl));
    if (!needed) return;
    const from = logFile.size();
    const child = this.#child ?? this.#fork();
    const ended = once(child, "exit");
    releaseHeld(child, variables);
    const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
    this.#child = undefined;
    log.info({ code, signal }, "prepared");
    if (code !== 0) throw new StartupError(logFile.lastWord(from) || `it ended (${logFile.path})`);
    await this.#remember(databaseUrl);
  }

  /** Ends it; what it had not committed is not done. */
  async stop(): Promise<void> {
    if (!this.#child) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }

  #fork(): ChildProcess {
    const output = this.#plan.logFile.open();
    const child = fork(this.#plan.script, [], {
      env: heldEnvironment(),
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

  /** Of the build, whose entry names its chunks by their content, and of the database. */
  async #state(databaseUrl: string): Promise<string | undefined> {
    // The name of a source says nothing of those that it imports.
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
