import { prepare } from "./lib/build.mjs";
import { replaceProcess, steps } from "./lib/run.mjs";
import { suite } from "./lib/suite.mjs";

// npm run test:browser: tests what browsers show in headless Chromium (Debian's package `chromium`, or
// CARILLON_TEST_CHROMIUM); after `--`, files and mocha options. With CARILLON_SCREENSHOTS=docs/images it renews the
// guides' screenshots. The last line is `N passed, N failed, N skipped`.
await steps(async () => {
  await prepare();
  await replaceProcess(...suite("browser"));
});
