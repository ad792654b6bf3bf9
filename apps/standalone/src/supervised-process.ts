import { heldEnvironment, ping, pong, releaseHeld, type Logger } from "@carillon/kit";
import { fork, type ChildProcess } from "node:child_process";
import { closeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { LogFile } from "./log-file.ts";
import { ask } from "./health.ts";
import { hangs } from "./watchdog.ts";

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
  /** An address that the process answers; without one it is only asked over its channel. */
  url?: string | undefined;
  /** Between two questions whether it hangs, in milliseconds; 5,000 unless given. */
  askEveryMs?: number;
}

/**
 * One child process that is started again when it dies, and replaced when it hangs. It leads a process group of its
 * own, so that Ctrl-C in the terminal reaches it once, through us, and it ends by itself when we are gone (its channel
 * closes).
 */
export class SupervisedProcess {
  readonly name: string;
  /** Resolves, with its last words, when the process gives up (exit code 1) before `markStarted`. */
  readonly refused: Promise<string>;
  readonly #plan: ProcessPlan;
  #refuse: (lastWord: string) => void = () => undefined;
  #child: ChildProcess | undefined;
  /** Loads its code, and knows nothing yet. */
  #held = false;
  #started = false;
  #stopping = false;
  #deaths = 0;
  readonly #stopSignal = new AbortController();
  #endWatching: () => void = () => undefined;

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

  /** Lets the process load its code while what it needs is not there yet. */
  hold(): void {
    this.#held = true;
    this.#fork(heldEnvironment());
  }

  start(): void {
    if (this.#stopping) return;
    const variables = this.#plan.env();
    if (this.#held && this.#child) releaseHeld(this.#child, variables);
    else this.#fork(variables);
    this.#held = false;
    if (this.#child) void this.#watch(this.#child);
  }

  #fork(env: Record<string, string | undefined>): void {
    const { script, logFile, log, name } = this.#plan;
    const output = logFile.open();
    const from = logFile.size();
    const startedAt = performance.now();
    const child = fork(script, [], {
      env,
      stdio: ["ignore", output, output, "ipc"],
      detached: true,
    });
    closeSync(output);
    this.#child = child;
    log.info({ child: name, childPid: child.pid }, "started");
    child.on("error", (error) => log.error({ err: error, child: name }, "a child process failed"));
    child.once("exit", (code, signal) => {
      this.#child = undefined;
      this.#endWatching();
      if (this.#stopping) return;
      const lastWord = logFile.lastWord(from);
      log.error({ child: name, code, signal, lastWord }, "a child process died");
      if (!this.#started && code === 1) {
        this.#refuse(lastWord || `it ended with exit code 1 (${logFile.path})`);
        return;
      }
      // One that was held is started when its time has come.
      if (this.#held) return;
      if (performance.now() - startedAt > steadyAfterMs) this.#deaths = 0;
      void this.#startAgain();
    });
  }

  /** Kills a child that hangs: it hears no other signal, and its death is followed by a new start. */
  async #watch(child: ChildProcess): Promise<void> {
    const watching = new AbortController();
    const { signal } = watching;
    this.#endWatching = () => watching.abort();
    const { url, askEveryMs, log, name } = this.#plan;
    const question = async (signal: AbortSignal) => {
      await pinged(child, signal);
      if (url !== undefined) await ask(url, { signal });
    };
    const hung = await hangs({
      ask: question,
      signal,
      ...(askEveryMs === undefined ? {} : { everyMs: askEveryMs }),
    });
    if (!hung) return;
    log.error(
      { child: name, childPid: child.pid },
      "a child process does not answer; replacing it",
    );
    child.kill("SIGKILL");
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
    this.#endWatching();
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

/** Resolves when the child's event loop has turned. */
function pinged(child: ChildProcess, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const hear = (message: unknown) => {
      if (message !== pong) return;
      child.off("message", hear);
      resolve();
    };
    child.on("message", hear);
    signal.addEventListener("abort", () => child.off("message", hear), { once: true });
    child.send(ping, (error) => error && reject(error));
  });
}
