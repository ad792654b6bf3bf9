import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isInstalled } from "./install.mjs";
import { readNote } from "./note.mjs";
import { root } from "./root.mjs";

const stampFile = join(root, "node_modules", ".cache", "carillon-build.json");
const settings = [
  "package-lock.json",
  "package.json",
  "prisma.config.ts",
  "prisma/schema.prisma",
  "tsconfig.base.json",
  "turbo.json",
];

/**
 * Whether everything is installed, generated and built: all inputs and outputs of the last build are unchanged, by size,
 * mtime and ctime.
 */
export function isBuilt() {
  const { sources, built } = readNote(stampFile) ?? {};
  return sources !== undefined && sources === sourcesNow() && built === builtNow() && isInstalled();
}

/**
 * Runs `build` and records its inputs. A build that fails, is interrupted, or during which a file is edited is not
 * recorded.
 * @param {() => Promise<void>} build
 */
export async function remembered(build) {
  rmSync(stampFile, { force: true });
  const before = sourcesNow();
  await build();
  if (sourcesNow() !== before) return;
  mkdirSync(dirname(stampFile), { recursive: true });
  const temporary = `${stampFile}.${process.pid}`;
  writeFileSync(temporary, JSON.stringify({ sources: before, built: builtNow() }));
  renameSync(temporary, stampFile);
}

function sourcesNow() {
  const folders = workspaces().flatMap((folder) => [`${folder}/src`]);
  const single = workspaces().flatMap((folder) => [
    `${folder}/package.json`,
    `${folder}/tsconfig.json`,
  ]);
  const files = [...settings, ...single, ...[...folders, "scripts"].flatMap(filesBelow)];
  return hashOf(files.filter((file) => !file.endsWith(".test.ts")));
}

function builtNow() {
  return hashOf(workspaces().flatMap((folder) => filesBelow(`${folder}/dist`)));
}

function workspaces() {
  return ["apps", "packages"].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => `${group}/${name}`),
  );
}

/**
 * Lists the paths below a folder, from the root; none if the folder does not exist.
 * @param {string} folder
 */
function filesBelow(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map(
    (name) => `${folder}/${name}`,
  );
}

/**
 * Hashes paths, sizes and times of files, and the version of Node.js.
 * @param {string[]} files
 */
function hashOf(files) {
  const hash = createHash("sha256").update(`${process.version} ${process.arch}\n`);
  for (const file of files) {
    const stats = statSync(join(root, file), { throwIfNoEntry: false });
    const is = stats?.isFile() ? [stats.size, stats.mtimeMs, stats.ctimeMs] : [stats !== undefined];
    hash.update(`${file} ${is.join(" ")}\n`);
  }
  return hash.digest("hex");
}
