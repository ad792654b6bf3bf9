import { availableParallelism } from "node:os";
import { prepare } from "./lib/build.mjs";
import { attend, become, steps } from "./lib/run.mjs";
import { withServices } from "./lib/services.mjs";

// npm test: all suites, or the files and mocha options that are given after `--`.

/** Faults that ask little of the machine. */
const light = ["start-up", "real-time-behind", "real-time-deactivated", "real-time-garbage"].map(
  (name) => `test/faults/${name}.test.ts`,
);
/** Each file has databases and ports of its own, so that several can run at a time. */
const together = [
  ...["packages/*/src", "apps/*/src", "test/{contract,e2e,boundaries}"].map(suites),
  ...light,
];
/** These kill processes under load, and want the machine to themselves. */
const alone = [suites("test/faults"), ...light.map((file) => `--ignore=${file}`)];
/** Files at a time; the servers want their share of the machine too. */
const jobs = Math.min(4, Math.max(2, Math.floor(availableParallelism() / 2)));

const mocha = (...args) =>
  withServices("test", [process.execPath, "node_modules/mocha/bin/mocha.js", ...args]);

function suites(folder) {
  return `${folder}/**/*.test.ts`;
}

await steps(async () => {
  await prepare();
  const given = process.argv.slice(2);
  if (given.some((argument) => !argument.startsWith("-"))) await become(...mocha(...given));
  const first = await attend(...mocha("--parallel", `--jobs=${jobs}`, ...given, ...together));
  // Interrupted.
  if (first >= 128) process.exit(first);
  const second = await attend(...mocha(...given, ...alone));
  process.exit(first || second);
});
