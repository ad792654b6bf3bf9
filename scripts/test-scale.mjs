import { build } from "./lib/build.mjs";
import { attend, steps } from "./lib/run.mjs";
import { suite } from "./lib/suite.mjs";

// npm run test:scale: runs several built gateways and workers under load. The last line is `N passed, N failed, N
// skipped`.
await steps(async () => {
  await build();
  process.exitCode = await attend(...suite("scale"), { CARILLON_TEST_BUILT: "true" });
});
