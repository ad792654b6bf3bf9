import { join } from "node:path";
import { prepare } from "./lib/build.mjs";
import { pythonWith } from "./lib/python.mjs";
import { root } from "./lib/root.mjs";
import { capture, replaceProcess, steps } from "./lib/run.mjs";
import { suite } from "./lib/suite.mjs";

/** Variables for the paths of Python programs, and their requirements. */
const pythons = {
  CARILLON_TEST_PYTHON: "test/clients/requirements.txt",
  CARILLON_TEST_TERMINAL: "test/clients/requirements-terminal.txt",
  CARILLON_TEST_GENERATOR: "test/clients/requirements-generator.txt",
};

/** Shoutrrr, a program for notifications, as Go installs it. */
const shoutrrrModule = "github.com/containrrr/shoutrrr/shoutrrr@v0.8.0";

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
  const go = await goProgram("test/clients/programs/strict-go");
  if (go.reason) console.log(`${go.reason}: tests that need it are skipped.`);
  else env.CARILLON_TEST_GO = go.program;
  const notifier = await shoutrrr();
  if (notifier.reason) console.log(`${notifier.reason}: tests that need it are skipped.`);
  else env.CARILLON_TEST_SHOUTRRR = notifier.program;
  await replaceProcess(...suite("clients", [comparison]), env);
});

/**
 * Installs Shoutrrr.
 * @returns {Promise<{ program?: string, reason?: string }>} its path, or the reason if it could not be installed
 */
async function shoutrrr() {
  const folder = join(root, "node_modules", ".cache", "carillon-go");
  const install = ["60", "go", "install", shoutrrrModule];
  const { code, output } = await capture("timeout", install, { GOBIN: folder });
  if (code === 0) return { program: join(folder, "shoutrrr") };
  return { reason: `Go cannot install Shoutrrr (${output.trim().split("\n").at(-1)})` };
}

/**
 * Builds a program of this repository that needs no packages.
 * @param {string} source its folder, from the root
 * @returns {Promise<{ program?: string, reason?: string }>} its path, or the reason if it could not be built
 */
async function goProgram(source) {
  const program = join(root, "node_modules", ".cache", "carillon-go", "strict");
  const { code, output } = await capture("go", [
    "build",
    "-C",
    join(root, source),
    "-o",
    program,
    ".",
  ]);
  if (code === 0) return { program };
  return { reason: `Go cannot build ${source} (${output.trim().split("\n").at(-1)})` };
}
