import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "./lib/build.mjs";
import { root } from "./lib/root.mjs";
import { attend, capture, must, steps } from "./lib/run.mjs";
import { suite } from "./lib/suite.mjs";

// npm run test:upgrade: the last release and this build, side by side on one database, and the way from one version of
// PostgreSQL to the next. The last line is `N passed, N failed, N skipped`.
await steps(async () => {
  const git = ["git", ["-C", root, "describe", "--tags", "--abbrev=0", "--match", "v*"]];
  const { code, output } = await capture(...git);
  if (code !== 0) {
    console.log(
      "This is no clone with the tags of releases (v…): there is nothing to upgrade from.",
    );
    console.log("0 passed, 0 failed, 1 skipped");
    return;
  }
  const release = output.trim();
  const folder = await mkdtemp(join(tmpdir(), "carillon-release-"));
  const end = () => rm(folder, { recursive: true, force: true });
  try {
    console.log(`Building ${release} …`);
    const clone = ["clone", "--quiet", "--branch", release, `file://${root}`, folder];
    await must("git clone", "git", ["-c", "advice.detachedHead=false", ...clone]);
    const builder = join(folder, "scripts/build.mjs");
    if (!existsSync(builder)) throw new Error(`${release} has no scripts/build.mjs`);
    await must(`the build of ${release}`, process.execPath, [builder]);
    await build();
    process.exitCode = await attend(...suite("upgrade"), { CARILLON_TEST_RELEASE: folder });
  } finally {
    await end();
  }
});
