import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { readNote } from "./note.mjs";
import { root } from "./root.mjs";
import { StepError, capture } from "./run.mjs";
import { progress } from "./progress.mjs";
import { registryTrouble } from "./registry.mjs";

/**
 * Prisma's packages look for a program of theirs to download, which nothing here uses; any existing file
 * in its place keeps them off the network.
 */
export const prismaEnvironment = {
  PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
  PRISMA_SKIP_POSTINSTALL_GENERATE: "1",
  PRISMA_HIDE_UPDATE_MESSAGE: "1",
  CHECKPOINT_DISABLE: "1",
};

const stampFile = join(root, "node_modules", ".carillon-install");

/** True when exactly the packages of package-lock.json are there, for this Node. */
export function isInstalled() {
  return isWhole() && kept() === stamp();
}

/** Remembers that what package-lock.json asks for is there. */
export function markInstalled() {
  writeFileSync(stampFile, stamp());
}

/**
 * Installs the packages when they are missing, incomplete or not those of package-lock.json.
 * @throws {StepError} that says what to do, where the registry cannot be reached or npm fails otherwise
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
  // All of it may be in npm's cache.
  const from = trouble ? ["--offline"] : [];
  // Optional ones are mostly for other systems.
  const { packages } = readJson(join(root, "package-lock.json"));
  const paths = Object.keys(packages).filter((path) => path && !packages[path].optional);
  const there = () => paths.filter((path) => existsSync(join(root, path))).length;
  const ran = await progress("Installing packages", there, paths.length, async () => {
    const exact = await capture(...npm("ci", ...from), prismaEnvironment);
    // The lock lags behind the manifests: take what it has, and the rest as the manifests say.
    return /\bEUSAGE\b/.test(exact.output)
      ? capture(...npm("install", "--no-save", ...from), prismaEnvironment)
      : exact;
  });
  if (ran.code !== 0) throw new StepError(trouble?.message ?? failure(ran));
  markInstalled();
}

/** Links the packages of the repository that are new since the last installation: nothing has to be downloaded for them. */
function linkWorkspaces() {
  const { packages } = readJson(join(root, "package-lock.json"));
  for (const [path, { link, resolved }] of Object.entries(packages)) {
    const place = join(root, path);
    if (link && !existsSync(place))
      symlinkSync(relative(dirname(place), join(root, resolved)), place, "junction");
  }
}

function failure({ output, code }) {
  return `${output.trim()}\n\nThe packages could not be installed (npm ended with exit code ${code}). Run the command again when that is mended: nothing has been started.`;
}

function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new StepError(`Node ${process.versions.node} is too old: Carillon needs 20.19 or later.`);
}

/** The command line of the npm that runs us, or else of the one on the path. */
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

/** What compiled packages depend on. */
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

/** npm's own record of what it installed, perhaps by hand, which it writes last; undefined without one. */
function record() {
  return readNote(join(root, "node_modules", ".package-lock.json"))?.packages;
}

/** True when every package of npm's record is still there. */
function isWhole() {
  const installed = record();
  return (
    installed !== undefined &&
    Object.entries(installed).every(
      ([path, entry]) => entry.optional || existsSync(join(root, path)),
    )
  );
}

/** True when the record has all that the lock asks for, and the lock all that the manifests ask for. */
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
