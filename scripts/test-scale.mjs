import { build } from "./lib/build.mjs";
import { runAttached, steps } from "./lib/run.mjs";
import { suite } from "./lib/suite.mjs";

// npm run test:scale: runs several built gateways and workers under load. The last line is `N passed, N failed, N
// skipped`.
await steps(async () => {
  await build();
  process.exitCode = await runAttached(...suite("scale"), { CARILLON_TEST_BUILT: "true" });
});
