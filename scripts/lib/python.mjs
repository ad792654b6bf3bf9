import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { exclusively } from "./lock.mjs";
import { root } from "./root.mjs";
import { capture } from "./run.mjs";

// An installation empties it; it is re-created on demand.
const cache = join(root, "node_modules", ".cache", "carillon-python");

/**
 * Makes a Python environment with exactly the packages of a requirements file; cached until the file or Python changes.
 * @param {string} requirements path from the root
 * @returns {Promise<{ folder?: string, reason?: string }>} its folder of programs, or the reason if it could not be made
 */
export async function pythonWith(requirements) {
  const version = await capture("python3", ["--version"]);
  if (version.code !== 0) return { reason: "python3 is not installed" };
  const file = join(root, requirements);
  const key = createHash("sha256").update(version.output).update(readFileSync(file)).digest("hex");
  // With the suite's folder: suites may run at the same time, and each removes its own earlier environments.
  const name = `${basename(dirname(file))}-${basename(file, ".txt")}`;
  const home = join(cache, `${name}-${key.slice(0, 16)}`);
  return exclusively(async () => {
    const made = join(home, "made");
    if (!existsSync(made)) {
      removeOthers(name);
      const reason = await make(home, file);
      if (reason) return { reason };
      writeFileSync(made, "");
    }
    return { folder: join(home, "bin") };
  });
}

/** Removes environments of an earlier file or Python, and unfinished ones. */
function removeOthers(name) {
  mkdirSync(cache, { recursive: true });
  for (const entry of readdirSync(cache))
    if (entry.slice(0, -17) === name) rmSync(join(cache, entry), { recursive: true });
}

/**
 * Makes a virtual environment with the requirements.
 * @returns {Promise<string | undefined>} the reason if it could not be made
 */
async function make(home, requirements) {
  const venv = await capture("python3", ["-m", "venv", home]);
  if (venv.code !== 0) return `python3 cannot make a virtual environment (${lastLine(venv)})`;
  const options = ["--quiet", "--no-input", "--disable-pip-version-check"];
  const exactly = ["--no-deps", "--ignore-requires-python", "--requirement", requirements];
  // Short timeouts, to detect a missing network quickly.
  const patience = ["--timeout=15", "--retries=1"];
  const install = ["-m", "pip", "install", ...options, ...patience, ...exactly];
  const pip = await capture(join(home, "bin", "python"), install);
  if (pip.code !== 0) return `pip cannot install ${basename(requirements)} (${lastLine(pip)})`;
  return undefined;
}

function lastLine({ output }) {
  return output.trim().split("\n").at(-1);
}
