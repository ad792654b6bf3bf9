import { join } from "node:path";
import { generateClient } from "./generate.mjs";
import { repairInstall } from "./install.mjs";
import { exclusively } from "./lock.mjs";
import { root } from "./root.mjs";
import { must } from "./run.mjs";

/** Everything that running from source needs: packages and the Prisma client. */
export function prepare() {
  return exclusively(prepareUnlocked);
}

async function prepareUnlocked() {
  await repairInstall();
  await generateClient();
}

/**
 * Everything that running what is shipped needs; what is unchanged is left alone.
 * @param {...string} packages only these, and what they import
 */
export function build(...packages) {
  return exclusively(async () => {
    await prepareUnlocked();
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
  });
}
