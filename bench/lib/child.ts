import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
let folder: string | undefined;

/** A child process of a bench; it ends with the bench. */
export interface Child {
  readonly name: string;
  readonly process: ChildProcess;
  /** Returns its output so far. The output goes to a file, as in production. */
  output(): string;
  /** Waits until the output contains `text`. @throws Error when the process ends or 20 seconds pass before */
  written(text: string): Promise<void>;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
process.on("exit", (code) => {
  for (const child of running) child.kill("SIGKILL");
  // Keeps the output of the processes after a failure.
  if (folder && code === 0) rmSync(folder, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

/**
 * Starts Node with a file of this repository.
 * @param file path from the checkout's root
 * @param env environment variables in addition to PATH and HOME
 * @param checkout folder of another checkout; this one unless given
 */
export function startChild(
  name: string,
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  nodeOptions: readonly string[] = [],
  checkout = root,
): Child {
  folder ??= mkdtempSync(join(tmpdir(), "carillon-bench-"));
  const log = join(folder, `${name}-${Date.now()}.log`);
  const out = openSync(log, "a");
  const options = file.endsWith(".ts") ? ["--conditions=source", "--import=tsx"] : [];
  const child = spawn(process.execPath, [...options, ...nodeOptions, join(checkout, file)], {
    cwd: checkout,
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
    stdio: ["ignore", out, out, "ipc"],
  });
  closeSync(out);
  running.add(child);
  const ended = once(child, "exit").finally(() => running.delete(child));
  const output = () => readFileSync(log, "utf8");
  return {
    name,
    process: child,
    output,
    async written(text) {
      const deadline = Date.now() + 20_000;
      while (!output().includes(text)) {
        if (child.exitCode !== null) throw new Error(`${name} ended:\n${output()}`);
        if (Date.now() > deadline) throw new Error(`${name} did not write "${text}":\n${output()}`);
        await pause(20);
      }
    },
    async stop() {
      child.kill("SIGTERM");
      await Promise.race([ended, pause(12_000, undefined, { ref: false })]);
      child.kill("SIGKILL");
    },
  };
}
