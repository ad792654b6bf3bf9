import {
  preloadEnvironment,
  ping,
  pong,
  releasePreloaded,
  StateMachine,
  type Logger,
  type State,
} from "@carillon/kit";
import { fork, type ChildProcess } from "node:child_process";
import { closeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { LogFile } from "./log-file.ts";
import { ask } from "./health.ts";
import { hangs } from "./watchdog.ts";

/** Pauses before a process is restarted: the first doubles with each death, up to the maximum (ms). */
const firstPauseMs = 250;
const maxPauseMs = 10_000;
/** A process that lived this long gets the first pause again. */
const steadyAfterMs = 30_000;
const endsWithinMs = 10_000;

/** What to run, and its environment. */
export interface ProcessPlan {
  name: string;
  script: string;
  /** Called at every start. */
  env: () => Record<string, string | undefined>;
  logFile: LogFile;
  log: Logger;
  /** An address that the process answers; without it only the IPC channel is asked. */
  url?: string | undefined;
  /** Milliseconds between two checks whether it hangs; 5,000 unless given. */
  askEveryMs?: number;
}

/*
 *           preload           start               exit
 *   idle ─────────▶ loading ─────────▶ running ─────────▶ pausing
 *    │  ▲            │    │             ▲   │                │
 *    │  └─── exit ───┘    │             │   │ exit code 1    │
 *    │                    │ exit code 1 │   │ at the first   │
 *    │                    ▼             │   │ start          │
 *    │                 refused ◀────────┼───┘                │
 *    │ start                            │                    │ the pause is over
 *    └──────────────────────────────────┴────────────────────┘
 *
 *   loading, running ────── stop ──▶ stopping ── exit ──▶ stopped
 *   idle, pausing, refused ─ stop ──────────────────────▶ stopped
 */
type ProcessState =
  | State<"idle">
  /** It has loaded its code, and waits for its environment. */
  | State<"loading", { readonly child: ChildProcess }>
  | State<"running", { readonly child: ChildProcess; readonly watching: AbortController }>
  | State<"pausing", { readonly ending: AbortController }>
  | State<"refused", { readonly lastErrorLine: string }>
  | State<"stopping", { readonly child: ChildProcess }>
  | State<"stopped">;

/**
 * One child process that is started again when it dies, and killed when it hangs. It leads its own process group, so
 * that Ctrl-C in the terminal reaches it once, through this process. When this process dies the child's IPC channel
 * closes, and the child ends.
 */
export class SupervisedProcess {
  readonly name: string;
  readonly #plan: ProcessPlan;
  readonly #machine: StateMachine<ProcessState>;
  /** Whether exit code 1 means a death, not a refusal. */
  #started = false;
  #deaths = 0;

  constructor(plan: ProcessPlan) {
    this.name = plan.name;
    this.#plan = plan;
    this.#machine = new StateMachine<ProcessState>(`the process ${plan.name}`, { kind: "idle" });
  }

  /** Undefined between a death and the next start. */
  get pid(): number | undefined {
    const { state } = this.#machine;
    return "child" in state ? state.child.pid : undefined;
  }

  /** Resolves with its last log line when the process refuses to start: exit code 1 before `markStarted`. */
  async refusal(): Promise<string> {
    return (await this.#machine.until(["refused"])).lastErrorLine;
  }

  /** Records that the process has started: from now on it is restarted whenever it dies. */
  markStarted(): void {
    this.#started = true;
  }

  /** Starts a process that loads its code before its environment is known. */
  preload(): void {
    this.#machine.move(["idle"], { kind: "loading", child: this.#fork(preloadEnvironment()) });
  }

  /** Starts the process; does nothing when it has refused or is stopped. */
  start(): void {
    const { state } = this.#machine;
    if (state.kind === "refused" || state.kind === "stopping" || state.kind === "stopped") return;
    const variables = this.#plan.env();
    if (state.kind === "loading") releasePreloaded(state.child, variables);
    const child = state.kind === "loading" ? state.child : this.#fork(variables);
    const watching = new AbortController();
    this.#machine.move(["idle", "loading", "pausing"], { kind: "running", child, watching });
    void this.#watch(child, watching.signal);
  }

  #fork(env: Record<string, string | undefined>): ChildProcess {
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
    log.info({ child: name, childPid: child.pid }, "started");
    child.on("error", (error) => log.error({ err: error, child: name }, "a child process failed"));
    child.once("exit", (code, signal) => {
      const livedMs = performance.now() - startedAt;
      this.#exited({ code, signal, livedMs, lastErrorLine: () => logFile.lastErrorLine(from) });
    });
    return child;
  }

  /** Leaves `loading`, `running` or `stopping`. */
  #exited({ code, signal, livedMs, lastErrorLine: readLastErrorLine }: Exit): void {
    const { state } = this.#machine;
    if (state.kind === "stopping") return this.#machine.move(["stopping"], { kind: "stopped" });
    if (state.kind === "running") state.watching.abort();
    const { log, logFile, name } = this.#plan;
    const lastErrorLine = readLastErrorLine();
    log.error({ child: name, code, signal, lastErrorLine }, "a child process died");
    if (!this.#started && code === 1) {
      const reason = lastErrorLine || `it ended with exit code 1 (${logFile.path})`;
      this.#machine.move(["loading", "running"], { kind: "refused", lastErrorLine: reason });
    } else if (state.kind === "loading") this.#machine.move(["loading"], { kind: "idle" });
    else {
      if (livedMs > steadyAfterMs) this.#deaths = 0;
      void this.#startAfterPause();
    }
  }

  /** Leaves `running`. */
  async #startAfterPause(): Promise<void> {
    const ending = new AbortController();
    this.#machine.move(["running"], { kind: "pausing", ending });
    const waitMs = Math.min(firstPauseMs * 2 ** this.#deaths++, maxPauseMs);
    try {
      await pause(waitMs, undefined, { signal: ending.signal });
    } catch {
      return;
    }
    this.start();
  }

  /** Kills a child that hangs with SIGKILL, the only signal that works then. It is restarted after its exit. */
  async #watch(child: ChildProcess, signal: AbortSignal): Promise<void> {
    const { url, askEveryMs, log, name } = this.#plan;
    const question = async (answered: AbortSignal) => {
      await pinged(child, answered);
      if (url !== undefined) await ask(url, { signal: answered });
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

  /** Ends the process, so that it starts again with a new environment. */
  restart(): void {
    const { state } = this.#machine;
    if ("child" in state) state.child.kill("SIGTERM");
  }

  /** Sends SIGTERM, and SIGKILL after 10 s or when `killNow` is aborted. Resolves when the process has exited. */
  async stop(killNow?: AbortSignal): Promise<void> {
    const { state } = this.#machine;
    if (state.kind === "stopped") return;
    if (state.kind === "pausing") state.ending.abort();
    if (state.kind === "running") state.watching.abort();
    if (!("child" in state))
      return this.#machine.move(["idle", "pausing", "refused"], { kind: "stopped" });
    const { child } = state;
    this.#machine.move(["loading", "running", "stopping"], { kind: "stopping", child });
    const kill = () => child.kill("SIGKILL");
    const timer = setTimeout(kill, endsWithinMs);
    killNow?.addEventListener("abort", kill);
    child.kill("SIGTERM");
    await this.#machine.until(["stopped"]);
    clearTimeout(timer);
  }
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly livedMs: number;
  /** Reads the last line that the process has logged. */
  readonly lastErrorLine: () => string;
}

/** Resolves when the child's event loop has answered. */
function pinged(child: ChildProcess, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const listener = (message: unknown) => {
      if (message !== pong) return;
      child.off("message", listener);
      resolve();
    };
    child.on("message", listener);
    signal.addEventListener("abort", () => child.off("message", listener), { once: true });
    child.send(ping, (error) => error && reject(error));
  });
}
