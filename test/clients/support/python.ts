import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { useProcesses, type TestProcess } from "@carillon/testkit";

/** Where the programs of the Python with the client library are; set by `npm run test:clients`. */
const folder = process.env["CARILLON_TEST_PYTHON"];
const own = fileURLToPath(new URL("../programs/", import.meta.url));

export interface Python {
  /** Starts a script of `test/clients/programs`. */
  script(name: string, ...args: string[]): TestProcess;
  /** Starts a program that came with a package. */
  program(name: string, ...args: string[]): TestProcess;
}

/** Programs in Python for the tests of the enclosing `describe`, which are skipped where there is none. */
export function usePython(): Python {
  before("look for Python", function () {
    if (!folder) this.skip();
  });
  const processes = useProcesses();
  const start = (program: string, args: string[]) =>
    processes.program(join(folder ?? "", program), args, { PYTHONUNBUFFERED: "1" });
  return {
    script: (name, ...args) => start("python", [join(own, name), ...args]),
    program: (name, ...args) => start(name, args),
  };
}
