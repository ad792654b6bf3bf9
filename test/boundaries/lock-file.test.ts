import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
}

/**
 * Packages whose programs for other systems the registry did not have when they were locked. `node scripts/complete-lock.mjs`
 * asks a registry for their checksums; what it completes has to go from here.
 */
const incomplete = [
  "@msgpackr-extract/",
  "@oxfmt/binding-",
  "@oxlint/binding-",
  "@oxlint-tsgolint/",
  "@turbo/",
];

describe("package-lock.json", () => {
  const installed = async () => {
    const text = await readFile(join(root, "package-lock.json"), "utf8");
    const { packages } = JSON.parse(text) as { packages: Record<string, Locked> };
    return Object.entries(packages)
      .filter(([place, { link }]) => place.includes("node_modules/") && !link)
      .map(([place, locked]) => ({ name: place.split("node_modules/").at(-1) ?? "", ...locked }));
  };

  it("has a checksum of every package, programs for other systems of a few tools aside", async () => {
    const without = (await installed()).filter(
      ({ integrity }) => !integrity?.startsWith("sha512-"),
    );
    const unexpected = without.filter(
      ({ name, optional }) => !optional || !incomplete.some((start) => name.startsWith(start)),
    );
    expect(unexpected.map(({ name }) => name)).to.deep.equal([]);
  });

  it("names no tool as incomplete that is complete", async () => {
    const all = await installed();
    for (const start of incomplete)
      expect(
        all.some(({ name, integrity }) => name.startsWith(start) && integrity === undefined),
        start,
      ).to.equal(true);
  });
});
