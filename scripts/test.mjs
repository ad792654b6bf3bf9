import { prepare } from "./lib/build.mjs";
import { become, steps } from "./lib/run.mjs";
import { withServices } from "./lib/services.mjs";

// npm test: all suites, or the files and mocha options that are given after `--`.
const suites = [
  "packages/*/src/**/*.test.ts",
  "apps/*/src/**/*.test.ts",
  "test/{contract,e2e,faults,boundaries}/**/*.test.ts",
];
/** One file after the other: the suites share one server and two cores. */
const parallel = false;

await steps(async () => {
  await prepare();
  const given = process.argv.slice(2);
  const names = given.some((argument) => !argument.startsWith("-"));
  await become(
    ...withServices("test", [
      process.execPath,
      "node_modules/mocha/bin/mocha.js",
      ...(parallel ? ["--parallel"] : []),
      ...given,
      ...(names ? [] : suites),
    ]),
  );
});
