import { prepare } from "./lib/build.mjs";
import { pythonWith } from "./lib/python.mjs";
import { replaceProcess, steps } from "./lib/run.mjs";
import { suite } from "./lib/suite.mjs";

/** Variables for the paths of Python programs, and their requirements. */
const pythons = {
  CARILLON_TEST_PYTHON: "test/clients/requirements.txt",
  CARILLON_TEST_TERMINAL: "test/clients/requirements-terminal.txt",
  CARILLON_TEST_GENERATOR: "test/clients/requirements-generator.txt",
};

/** Compares recurrence rules with another library: ten times as many of them as in `npm test`. */
const comparison = "packages/calendar/src/recurrence.test.ts";

// npm run test:clients: runs existing client programs, unchanged, against a started server; after `--`, files and mocha
// options. The last line is `N passed, N failed, N skipped`.
await steps(async () => {
  await prepare();
  const env = { CARILLON_RULES: "10000" };
  for (const [name, requirements] of Object.entries(pythons)) {
    const { folder, reason } = await pythonWith(requirements);
    if (reason) console.log(`${reason}: tests that need it are skipped.`);
    else env[name] = folder;
  }
  await replaceProcess(...suite("clients", [comparison]), env);
});
