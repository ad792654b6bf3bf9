import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { useProcesses, type ProcessOptions, type TestProcess } from "@carillon/testkit";

/**
 * Where the programs of a Python are that has the client library, the terminal client, or a generator of clients; by
 * `npm run test:clients`.
 */
type PythonVariable = "CARILLON_TEST_PYTHON" | "CARILLON_TEST_TERMINAL" | "CARILLON_TEST_GENERATOR";

const own = fileURLToPath(new URL("../programs/", import.meta.url));

export interface Python {
  /** Starts a script of `test/clients/programs`. */
  script(name: string, args: readonly string[], options?: ProcessOptions): TestProcess;
  /** Starts a program that came with a package. */
  program(name: string, args: readonly string[]): TestProcess;
  /** Where such a program is. */
  path(name: string): string;
}

/** Programs in Python for the tests of the enclosing `describe`, which are skipped where there is none. */
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
