import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { readNote } from "./note.mjs";
import { root } from "./root.mjs";
import { StepError, capture } from "./run.mjs";
import { progress } from "./progress.mjs";
import { registryTrouble } from "./registry.mjs";

/** Keeps Prisma's packages from downloading an engine that nothing here uses; any existing file works. */
export const prismaEnvironment = {
  PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
  PRISMA_SKIP_POSTINSTALL_GENERATE: "1",
  PRISMA_HIDE_UPDATE_MESSAGE: "1",
  CHECKPOINT_DISABLE: "1",
};

const stampFile = join(root, "node_modules", ".carillon-install");

/** Whether exactly the packages of package-lock.json are installed, for this Node. */
export function isInstalled() {
  return isWhole() && kept() === stamp();
}

/** Records that the packages of package-lock.json are installed. */
export function markInstalled() {
  writeFileSync(stampFile, stamp());
}

/**
 * Installs packages if they are missing, incomplete or different from package-lock.json.
 * @throws {StepError} with advice, when the registry cannot be reached or npm fails
 */
export async function repairInstall() {
  checkNode();
  if (isWhole()) {
    if (kept() === stamp()) return;
    if (!isForAnotherNode() && matchesLock()) {
      linkWorkspaces();
      markInstalled();
      return;
    }
  }
  const trouble = await registryTrouble(npm("ping"));
  // npm's cache may have everything.
  const from = trouble ? ["--offline"] : [];
  // Optional packages are mostly for other systems.
  const { packages } = readJson(join(root, "package-lock.json"));
  const paths = Object.keys(packages).filter((path) => path && !packages[path].optional);
  const there = () => paths.filter((path) => existsSync(join(root, path))).length;
  const ran = await progress("Installing packages", there, paths.length, async () => {
    const exact = await capture(...npm("ci", ...from), prismaEnvironment);
    // The lock is older than the manifests: install by both.
    return /\bEUSAGE\b/.test(exact.output)
      ? capture(...npm("install", "--no-save", ...from), prismaEnvironment)
      : exact;
  });
  if (ran.code !== 0) throw new StepError(trouble?.message ?? failure(ran));
  markInstalled();
}

/** Links workspace packages that are new since the last installation, without downloading. */
function linkWorkspaces() {
  const { packages } = readJson(join(root, "package-lock.json"));
  for (const [path, { link, resolved }] of Object.entries(packages)) {
    const place = join(root, path);
    if (link && !existsSync(place))
      symlinkSync(relative(dirname(place), join(root, resolved)), place, "junction");
  }
}

function failure({ output, code }) {
  return `${output.trim()}\n\nThe packages could not be installed (npm ended with exit code ${code}). Fix this and run the command again; nothing has been started.`;
}

function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new StepError(`Node ${process.versions.node} is too old: Carillon needs 20.19 or later.`);
}

/** Returns the command line of the running npm, else of the one on the path. */
function npm(...command) {
  const args = [
    ...command,
    "--include=dev",
    "--include=optional",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    "--progress=false",
  ];
  const cli = process.env.npm_execpath;
  return cli?.endsWith("npm-cli.js") ? [process.execPath, [cli, ...args]] : ["npm", args];
}

function stamp() {
  const hash = createHash("sha256").update(readFileSync(join(root, "package-lock.json")));
  for (const file of manifests()) hash.update(JSON.stringify(dependenciesOf(readJson(file))));
  return `${platform()} ${hash.digest("hex")}`;
}

/** Identifies what compiled packages depend on. */
function platform() {
  return `${process.platform}-${process.arch}-node${process.versions.node.split(".")[0]}`;
}

function kept() {
  return existsSync(stampFile) ? readFileSync(stampFile, "utf8") : undefined;
}

function isForAnotherNode() {
  const stamp = kept();
  return stamp !== undefined && !stamp.startsWith(`${platform()} `);
}

/** Reads npm's record of installed packages, which it writes last; undefined if missing. */
function record() {
  return readNote(join(root, "node_modules", ".package-lock.json"))?.packages;
}

/** Whether every package of npm's record still exists. */
function isWhole() {
  const installed = record();
  return (
    installed !== undefined &&
    Object.entries(installed).every(
      ([path, entry]) => entry.optional || existsSync(join(root, path)),
    )
  );
}

/** Whether the record matches the lock, and the lock the manifests. */
function matchesLock() {
  const installed = record();
  const locked = readJson(join(root, "package-lock.json")).packages;
  const inSync = manifests().every((file) => {
    const entry =
      locked[file === join(root, "package.json") ? "" : file.slice(root.length + 1, -13)];
    return entry && sameDependencies(readJson(file), entry);
  });
  return (
    inSync &&
    Object.entries(locked).every(
      ([path, entry]) =>
        !path.startsWith("node_modules/") ||
        entry.optional ||
        entry.peer ||
        installed[path]?.version === entry.version,
    )
  );
}

function sameDependencies(manifest, entry) {
  return JSON.stringify(dependenciesOf(manifest)) === JSON.stringify(dependenciesOf(entry));
}

function dependenciesOf(manifest) {
  const sorted = (given = {}) => Object.entries(given).sort(([a], [b]) => (a < b ? -1 : 1));
  return ["dependencies", "devDependencies", "optionalDependencies"].map((kind) =>
    sorted(manifest[kind]),
  );
}

function manifests() {
  const folders = ["packages", "apps"].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(root, group, name)),
  );
  return [root, ...folders.sort()]
    .map((folder) => join(folder, "package.json"))
    .filter((file) => existsSync(file));
}

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}
