import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { useProcesses, type ProcessOptions, type TestProcess } from "@carillon/testkit";

/**
 * Folders of programs of a Python with the client library, the terminal client, or a client generator; set by `npm run
 * test:clients`.
 */
type PythonVariable = "CARILLON_TEST_PYTHON" | "CARILLON_TEST_TERMINAL" | "CARILLON_TEST_GENERATOR";

const own = fileURLToPath(new URL("../programs/", import.meta.url));

export interface Python {
  /** Starts a script of `test/clients/programs`. */
  script(name: string, args: readonly string[], options?: ProcessOptions): TestProcess;
  /** Starts a program that a Python package installs. */
  program(name: string, args: readonly string[]): TestProcess;
  /** Returns the path of such a program. */
  path(name: string): string;
}

/** Provides Python programs to the tests of the enclosing `describe`; skips them if there is no Python. */
export function usePython(variable: PythonVariable = "CARILLON_TEST_PYTHON"): Python {
  const folder = process.env[variable] ?? "";
  before("look for Python", function () {
    if (folder === "") this.skip();
  });
  const processes = useProcesses();
  const path = (name: string) => join(folder, name);
  const start = (program: string, args: readonly string[], options?: ProcessOptions) =>
    processes.program(path(program), args, { PYTHONUNBUFFERED: "1" }, options);
  return {
    script: (name, args, options) => start("python", [join(own, name), ...args], options),
    program: (name, args) => start(name, args),
    path,
  };
}
