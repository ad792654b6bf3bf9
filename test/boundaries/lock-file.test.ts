import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Locked {
  readonly integrity?: string;
  readonly link?: boolean;
}

describe("package-lock.json", () => {
  it("has a checksum of every package, including programs for other systems", async () => {
    const text = await readFile(join(root, "package-lock.json"), "utf8");
    const { packages } = JSON.parse(text) as { packages: Record<string, Locked> };
    // npm leaves out checksums that its registry does not have yet; scripts/complete-lock.mjs adds them later.
    const without = Object.entries(packages)
      .filter(([place, { link }]) => place.includes("node_modules/") && !link)
      .filter(([, { integrity }]) => !integrity?.startsWith("sha512-"))
      .map(([place]) => place);
    expect(without).to.deep.equal([]);
  });
});
