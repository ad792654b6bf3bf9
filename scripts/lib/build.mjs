import { join } from "node:path";
import { generateClient } from "./generate.mjs";
import { repairInstall } from "./install.mjs";
import { writeLists } from "./lists.mjs";
import { exclusively } from "./lock.mjs";
import { root } from "./root.mjs";
import { progress } from "./progress.mjs";
import { must } from "./run.mjs";
import { isBuilt, remembered } from "./stamp.mjs";

/** Prepares running from source: packages, the Prisma client and the lists of declarations. */
export function prepare() {
  return exclusively(prepareUnlocked);
}

async function prepareUnlocked() {
  await repairInstall();
  await generateClient();
  writeLists();
}

/**
 * Builds everything that runs in production. If nothing has changed it only compares file times.
 * @param {...string} packages only these and their imports
 */
export async function build(...packages) {
  if (isBuilt()) return;
  await exclusively(async () => {
    // The previous holder of the lock may have built it.
    if (isBuilt()) return;
    await prepareUnlocked();
    const run = () => turbo(packages);
    if (packages.length > 0) await run();
    else await progress("Building", undefined, 0, () => remembered(run));
  });
}

/**
 * Builds packages, and the packages that they import, unless they are built.
 * @param {string[]} packages names
 */
async function turbo(packages) {
  await must(
    "the build",
    process.execPath,
    [
      join(root, "node_modules/turbo/bin/turbo"),
      "run",
      "build",
      ...packages.map((name) => `--filter=${name}...`),
      "--output-logs=errors-only",
      "--log-order=grouped",
      "--ui=stream",
    ],
    { TURBO_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1", TURBO_NO_UPDATE_NOTIFIER: "1" },
  );
}
