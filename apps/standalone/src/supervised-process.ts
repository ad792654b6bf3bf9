import type { Logger } from "@carillon/kit";
import { fork, type ChildProcess } from "node:child_process";
import { closeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { LogFile } from "./log-file.ts";

/** Pauses before a process that died is started again, doubling from the first to the second (ms). */
const firstPauseMs = 250;
const longestPauseMs = 10_000;
/** A process that lived this long died of something new. */
const steadyAfterMs = 30_000;
const endsWithinMs = 10_000;

/** What to run and what to tell it. */
export interface ProcessPlan {
  name: string;
  script: string;
  /** Asked anew at every start. */
  env: () => Record<string, string | undefined>;
  logFile: LogFile;
  log: Logger;
}

/**
 * One child process that is started again when it dies. It leads a process group of its own, so that Ctrl-C
 * in the terminal reaches it once, through us, and it ends by itself when we are gone (its channel closes).
 */
export class SupervisedProcess {
  readonly name: string;
  /** Resolves, with its last words, when the process gives up (exit code 1) before `markStarted`. */
  readonly refused: Promise<string>;
  readonly #plan: ProcessPlan;
  #refuse: (lastWord: string) => void = () => undefined;
  #child: ChildProcess | undefined;
  #started = false;
  #stopping = false;
  #deaths = 0;
  readonly #stopSignal = new AbortController();

  constructor(plan: ProcessPlan) {
    this.name = plan.name;
    this.#plan = plan;
    this.refused = new Promise((resolve) => (this.#refuse = resolve));
  }

  /** The process at work; undefined between a death and the next start. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** From now on every death is followed by a new start. */
  markStarted(): void {
    this.#started = true;
  }

  start(): void {
    if (this.#stopping) return;
    const { script, env, logFile, log, name } = this.#plan;
    const output = logFile.open();
    const from = logFile.size();
    const startedAt = performance.now();
    const child = fork(script, [], {
      env: env(),
      stdio: ["ignore", output, output, "ipc"],
      detached: true,
    });
    closeSync(output);
    this.#child = child;
    log.info({ child: name, childPid: child.pid }, "started");
    child.on("error", (error) => log.error({ err: error, child: name }, "a child process failed"));
    child.once("exit", (code, signal) => {
      this.#child = undefined;
      if (this.#stopping) return;
      const lastWord = logFile.lastWord(from);
      log.error({ child: name, code, signal, lastWord }, "a child process died");
      if (!this.#started && code === 1) {
        this.#refuse(lastWord || `it ended with exit code 1 (${logFile.path})`);
        return;
      }
      if (performance.now() - startedAt > steadyAfterMs) this.#deaths = 0;
      void this.#startAgain();
    });
  }

  async #startAgain(): Promise<void> {
    const waitMs = Math.min(firstPauseMs * 2 ** this.#deaths++, longestPauseMs);
    try {
      await pause(waitMs, undefined, { signal: this.#stopSignal.signal });
    } catch {
      return;
    }
    this.start();
  }

  /** Ends the process so that it starts again, with variables asked anew. */
  restart(): void {
    this.#child?.kill("SIGTERM");
  }

  /**
   * SIGTERM; what is still there after 10 s, or when `impatience` is aborted, is killed.
   * Resolves when the process is gone.
   */
  async stop(impatience?: AbortSignal): Promise<void> {
    this.#stopping = true;
    this.#stopSignal.abort();
    const child = this.#child;
    if (!child) return;
    const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    const kill = () => child.kill("SIGKILL");
    const timer = setTimeout(kill, endsWithinMs);
    impatience?.addEventListener("abort", kill);
    child.kill("SIGTERM");
    await gone;
    clearTimeout(timer);
  }
}
