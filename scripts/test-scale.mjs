import { build } from "./lib/build.mjs";
import { attend, steps } from "./lib/run.mjs";
import { withServices } from "./lib/services.mjs";

// npm run test:scale: several gateways and workers as they are built, under load. The last line is
// `N passed, N failed, N skipped`.
await steps(async () => {
  await build();
  process.exitCode = await attend(
    ...withServices("test", [
      process.execPath,
      "node_modules/mocha/bin/mocha.js",
      "--reporter=./scripts/lib/counting-reporter.cjs",
      ...process.argv.slice(2),
      "test/scale/**/*.test.ts",
    ]),
    { CARILLON_TEST_BUILT: "true" },
  );
});
