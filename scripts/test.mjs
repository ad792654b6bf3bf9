import { availableParallelism } from "node:os";
import { build, prepare } from "./lib/build.mjs";
import { become, steps } from "./lib/run.mjs";
import { withServices } from "./lib/services.mjs";
import { testFiles } from "./lib/test-files.mjs";

// npm test: all suites, or the files and mocha options that are given after `--`.

/**
 * Files at a time. Each has databases and ports of its own, and one of three does nothing but wait: for a process
 * that starts, for a fault that heals.
 */
const jobs = Math.min(6, Math.max(3, Math.ceil(availableParallelism() * 0.75)));

/** Not by its own program, which would start another one and leave that behind when it is ended. */
const mocha = (...args) =>
  withServices("test", [
    process.execPath,
    "--import=tsx",
    "--conditions=source",
    "--no-experimental-require-module",
    "node_modules/mocha/lib/cli/cli.js",
    ...args,
  ]);

await steps(async () => {
  const given = process.argv.slice(2);
  if (given.some((argument) => !argument.startsWith("-"))) {
    await prepare();
    await become(...mocha(...given));
  }
  // What is shipped starts in half the time of the sources, and whole runs start it two hundred times.
  await build();
  const env = { CARILLON_TEST_BUILT: "true" };
  await become(...mocha("--parallel", `--jobs=${jobs}`, ...given, ...testFiles()), env);
});
