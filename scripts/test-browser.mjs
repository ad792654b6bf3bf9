import { prepare } from "./lib/build.mjs";
import { become, steps } from "./lib/run.mjs";
import { withServices } from "./lib/services.mjs";

// npm run test:browser: the dashboard in headless Chromium (Debian's package `chromium`, or CARILLON_TEST_CHROMIUM), or the
// files and mocha options that are given after `--`. With CARILLON_SCREENSHOTS=docs/images it takes the pictures of the
// guides anew. The last line is `N passed, N failed, N skipped`.
await steps(async () => {
  await prepare();
  const given = process.argv.slice(2);
  const names = given.some((argument) => !argument.startsWith("-"));
  await become(
    ...withServices("test", [
      process.execPath,
      "node_modules/mocha/bin/mocha.js",
      "--reporter=./scripts/lib/counting-reporter.cjs",
      ...given,
      ...(names ? [] : ["test/browser/**/*.test.ts"]),
    ]),
  );
});
