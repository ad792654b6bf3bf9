import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "./lib/build.mjs";
import { root } from "./lib/root.mjs";
import { runAttached, capture, must, steps } from "./lib/run.mjs";
import { suite } from "./lib/suite.mjs";

// npm run test:upgrade: runs the last release and this build side by side on one database, and upgrades PostgreSQL. The
// last line is `N passed, N failed, N skipped`.
await steps(async () => {
  const release = (await tagged()) ?? (await headed());
  if (release === undefined) {
    console.log("This clone has no tag of a release (v…) and no history: nothing to upgrade from.");
    console.log("0 passed, 0 failed, 1 skipped");
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), "carillon-release-"));
  const end = () => rm(folder, { recursive: true, force: true });
  try {
    console.log(`Building ${release} …`);
    await must("git clone", "git", ["clone", "--quiet", "--no-checkout", `file://${root}`, folder]);
    await must("git checkout", "git", ["-C", folder, "checkout", "--quiet", "--detach", release]);
    const builder = join(folder, "scripts/build.mjs");
    if (!existsSync(builder)) throw new Error(`${release} has no scripts/build.mjs`);
    await must(`the build of ${release}`, process.execPath, [builder]);
    await build();
    process.exitCode = await runAttached(...suite("upgrade"), { CARILLON_TEST_RELEASE: folder });
  } finally {
    await end();
  }
});

/** Runs git and returns its output, trimmed; undefined if it fails or prints nothing. */
async function git(...words) {
  const { code, output } = await capture("git", ["-C", root, ...words]);
  return code === 0 ? output.trim() || undefined : undefined;
}

/** Returns the tag of the last release. */
function tagged() {
  return git("describe", "--tags", "--abbrev=0", "--match", "v*");
}

/** For a clone without tags: returns the commit that added the last release's heading to the list of changes. */
async function headed() {
  const [heading] =
    /^## \d+\.\d+\.\d+$/m.exec(readFileSync(join(root, "CHANGELOG.md"), "utf8")) ?? [];
  // The first commit of a shallow clone has all headings.
  if (!heading || (await git("rev-parse", "--is-shallow-repository")) !== "false") return undefined;
  const commits = await git(
    "log",
    "--reverse",
    "--format=%H",
    `-S${heading}`,
    "--",
    "CHANGELOG.md",
  );
  const [first] = commits?.split("\n") ?? [];
  return first === (await git("rev-parse", "HEAD")) ? undefined : first;
}
