import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { startProgram, type TestProcess, type Variables } from "@carillon/testkit";
import type { BuiltImage } from "./dockerfile.ts";

const run = promisify(execFile);

/** Processes of an image: in its folder, with its environment, as a user who cannot write its files. */
export interface Containers {
  start(command: readonly string[], variables: Variables): TestProcess;
  /** Runs HEALTHCHECK for a process with these variables. */
  isHealthy(variables: Variables): Promise<boolean>;
  close(): Promise<void>;
}

/** @param node the folder of the base image's Node.js */
export function containersOf(image: BuiltImage, node: string): Containers {
  const started: TestProcess[] = [];
  // Only root can switch to another user.
  const asUser =
    process.getuid?.() === 0
      ? ["setpriv", `--reuid=${image.user}`, "--regid=1000", "--clear-groups", "--"]
      : [];
  const cwd = join(image.root, "app");
  const environment = (variables: Variables) => ({
    ...image.environment,
    PATH: `${node}:${process.env["PATH"]}`,
    HOST: "127.0.0.1",
    ...variables,
  });
  return {
    start(command, variables) {
      const [program = "", ...args] = [...asUser, ...command];
      const made = startProgram(program, args, environment(variables), { cwd });
      started.push(made);
      return made;
    },
    async isHealthy(variables) {
      const [program = "", ...args] = image.healthCheck;
      const env = environment(variables);
      return run(program, args, { cwd, env }).then(
        () => true,
        () => false,
      );
    },
    async close() {
      await Promise.all(started.map((one) => one.kill()));
    },
  };
}
