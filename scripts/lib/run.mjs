import { spawn } from "node:child_process";
import { root } from "./root.mjs";

/** A failed step; the message is for the user. */
export class StepError extends Error {}

/**
 * Runs a program and captures its output.
 * @param {string} file
 * @param {string[]} args
 * @param {Record<string, string>} [env] added to ours
 * @returns {Promise<{ code: number, output: string }>}
 */
export function capture(file, args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    child.on("error", (error) => resolve({ code: 127, output: output + error.message }));
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}

/**
 * Runs a program like `capture`, but throws a StepError with the output if the program fails.
 * @returns {Promise<string>} the output
 */
export async function must(what, file, args, env) {
  const { code, output } = await capture(file, args, env);
  if (code !== 0) throw new StepError(`${output.trim()}\n\n${what} failed (exit code ${code}).`);
  return output;
}

/**
 * Replaces this process by a program: shares its output, forwards signals, and exits with it.
 * @returns {Promise<never>}
 */
export async function replaceProcess(file, args, env = {}) {
  process.exit(await runAttached(file, args, env));
}

/**
 * Runs a program with our input and output and forwards signals.
 * @returns {Promise<number>} its exit code, 128 + the signal's number when a signal ended it
 */
export function runAttached(file, args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: "inherit",
    });
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
      process.on(signal, () => child.kill(signal));
    child.on("error", (error) => {
      console.error(error.message);
      resolve(127);
    });
    child.on("exit", (code, signal) => resolve(code ?? (signal === "SIGINT" ? 130 : 143)));
  });
}

/** Runs `main`; exits with one message and code 1 if a step fails. */
export async function steps(main) {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof StepError ? error.message : error);
    process.exit(1);
  }
}
