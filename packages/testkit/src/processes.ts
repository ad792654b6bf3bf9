import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { wantedThreads } from "@carillon/kit";
import type { LogLine } from "./log-capture.ts";
import { testSecretKey } from "./site.ts";
import { waitFor } from "./wait-for.ts";

export type AppName = "gateway" | "worker" | "dashboard" | "bouncer" | "standalone" | "cli";

/** Variables of a process; undefined removes one. */
export type Variables = Readonly<Record<string, string | undefined>>;

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ProcessOptions {
  /** Default: the root of the repository. */
  readonly cwd?: string;
  /** Opens an IPC channel to the child, as the standalone does; the child exits when it closes. */
  readonly ipc?: boolean;
  /** Gives it a standard input, `child.stdin`, that stays open. */
  readonly input?: boolean;
}

/** A process of the product, started by a test. */
export interface TestProcess {
  readonly pid: number;
  readonly child: ChildProcess;
  /** The lines of its log so far. */
  readonly lines: readonly LogLine[];
  /** Its standard output and standard error. */
  output(): string;
  readonly exit: Promise<ProcessExit>;
  /** False once it has ended. */
  running(): boolean;
  /** Waits for a log line. @throws Error with the output if the process exits or the wait times out */
  waitForLine(match: string | RegExp, timeoutMs?: number): Promise<LogLine>;
  signal(name: NodeJS.Signals): void;
  /** kill -9 */
  kill(): Promise<ProcessExit>;
  /** Sends SIGTERM and waits for the exit. @throws Error after `limitMs`, a minute by default */
  stop(limitMs?: number): Promise<ProcessExit>;
}

const root = fileURLToPath(new URL("../../..", import.meta.url));
const alive = new Set<ChildProcess>();

/** Returns the variables that all processes of an installation share. */
export function installation(databaseUrl: string, redis?: string): Variables {
  return {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redis,
    SECRET_KEY: testSecretKey,
    PORT: "0",
    LOG_LEVEL: "debug",
  };
}

/** Whole runs build first, because built processes start in half the time. */
const built = process.env["CARILLON_TEST_BUILT"] === "true";

const fromSources = ["--conditions=source", `--import=${import.meta.resolve("tsx")}`];

/** Returns Node's arguments that run an app: from its build in a whole run, else from its sources. */
export function appArguments(app: AppName): string[] {
  const folder = `${root}apps/${app}`;
  return built ? [`${folder}/dist/main.js`] : [...fromSources, `${folder}/src/main.ts`];
}

/** Starts an app as {@link appArguments} says. Does not inherit the product's variables. */
export function startApp(
  app: AppName,
  variables: Variables,
  options: ProcessOptions = {},
): TestProcess {
  return startProgram(process.execPath, appArguments(app), variables, options);
}

/** Starts `carillon` with these command-line arguments. */
export function startCarillon(
  words: readonly string[],
  variables: Variables,
  options: ProcessOptions = {},
): TestProcess {
  return startProgram(process.execPath, [...appArguments("cli"), ...words], variables, options);
}

/** Starts any script from its sources. */
export function startProcess(
  script: string,
  args: readonly string[],
  variables: Variables,
  options: ProcessOptions = {},
): TestProcess {
  return startProgram(process.execPath, [...fromSources, script, ...args], variables, options);
}

/** Starts any program. */
export function startProgram(
  file: string,
  args: readonly string[],
  variables: Variables,
  options: ProcessOptions = {},
): TestProcess {
  const child = spawn(file, [...args], {
    cwd: options.cwd ?? root,
    env: { UV_THREADPOOL_SIZE: String(wantedThreads), ...inherited(), ...variables },
    stdio: [
      options.input ? "pipe" : "ignore",
      "pipe",
      "pipe",
      ...(options.ipc ? ["ipc" as const] : []),
    ],
  });
  if (alive.size === 0) process.once("exit", killAll);
  alive.add(child);
  return watch(child);
}

/** Inherits generic variables only, so that the shell does not influence tests. */
function inherited(): Variables {
  const names = ["PATH", "HOME", "USER", "TMPDIR", "TZ", "LANG", "LC_ALL", "SystemRoot"];
  const variables = names.map((name) => [name, process.env[name]] as const);
  // Rate limits are off by default; tests of them turn them on.
  return { ...Object.fromEntries(variables), RATE_LIMITS: "off" };
}

function killAll(): void {
  for (const child of alive) child.kill("SIGKILL");
}

function watch(child: ChildProcess): TestProcess {
  const lines: LogLine[] = [];
  let text = "";
  let rest = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) lines.push(parse(line));
  });
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  let ended: ProcessExit | undefined;
  const exit = new Promise<ProcessExit>((resolve) => {
    // `close` follows the last output; `exit` may precede it.
    child.once("close", (code, signal) => {
      alive.delete(child);
      if (alive.size === 0) process.off("exit", killAll);
      resolve((ended = { code, signal }));
    });
    child.once("error", (error) => (text += `${error.message}\n`));
  });
  const what =
    child.spawnargs.find((argument) => /^[^-].*\.(ts|js|mjs|py)$/.test(argument)) ??
    child.spawnfile;

  return {
    pid: child.pid ?? 0,
    child,
    lines,
    output: () => text,
    exit,
    running: () => ended === undefined,
    async waitForLine(match, timeoutMs = 120_000) {
      const fits = (line: LogLine) =>
        typeof match === "string" ? line.msg.includes(match) : match.test(line.msg);
      const look = () => {
        const found = lines.find(fits);
        if (found) return found;
        return ended ? { gone: ended } : undefined;
      };
      const found = await waitFor(look, { what: `${what} says ${String(match)}`, timeoutMs }).catch(
        (error: Error) => {
          throw new Error(`${error.message}; it wrote:\n${text}`);
        },
      );
      if ("gone" in found) {
        throw new Error(
          `${what} ended (${JSON.stringify(found.gone)}) without saying ${String(match)}; it wrote:\n${text}`,
        );
      }
      return found;
    },
    signal: (name) => void child.kill(name),
    kill() {
      child.kill("SIGKILL");
      return exit;
    },
    async stop(limitMs = 60_000) {
      child.kill("SIGTERM");
      await waitFor(() => ended !== undefined, {
        what: `${what} has ended after SIGTERM`,
        timeoutMs: limitMs,
      });
      return exit;
    },
  };
}

function parse(line: string): LogLine {
  try {
    const parsed = JSON.parse(line) as LogLine;
    if (typeof parsed.msg === "string") return parsed;
  } catch {
    // Not JSON, such as the greeting.
  }
  return { level: 0, msg: line };
}
