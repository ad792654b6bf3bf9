import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.mjs";
import { StepError } from "./run.mjs";

const folders = ["prisma", "packages/push"];

/**
 * Makes the checksum lists of each database's migrations, in the format of `sha256sum --check`. A listed checksum never
 * changes, because databases remember it and refuse others.
 * @param {string} [top] the repository
 * @returns {Map<string, string>} texts by path from the root
 * @throws StepError when a listed migration has changed or is missing
 */
export function wantedChecksums(top = root) {
  return new Map(folders.map((folder) => [`${folder}/migrations.sha256`, linesOf(top, folder)]));
}

function linesOf(top, folder) {
  const present = sums(join(top, folder));
  const list = join(top, folder, "migrations.sha256");
  const listed = existsSync(list) ? readFileSync(list, "utf8").split("\n").filter(Boolean) : [];
  for (const line of listed) {
    if (present.includes(line)) continue;
    const file = line.slice(line.indexOf("  ") + 2);
    throw new StepError(
      `${folder}/${file} was changed or deleted after its commit, but databases may have applied it. Restore its text, and write a new migration.`,
    );
  }
  return present.map((line) => `${line}\n`).join("");
}

function sums(folder) {
  return readdirSync(join(folder, "migrations"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `migrations/${entry.name}/migration.sql`)
    .sort()
    .map((file) => {
      const sum = createHash("sha256").update(readFileSync(join(folder, file)));
      return `${sum.digest("hex")}  ${file}`;
    });
}
