import { expect } from "chai";
import { readFiles } from "./source-files.ts";

/** Packages whose index lists names. */
const listed = ["model", "domain"];

describe("The exports of an index", () => {
  for (const name of listed)
    it(`of packages/${name} is imported by another package`, async () => {
      const own = `packages/${name}/src/`;
      const files = await readFiles(["packages", "apps", "test", "bench", "scripts"], /\.m?ts$/);
      // A folder with many names may have its own index.
      const index = files
        .filter(({ path }) => path.startsWith(own) && path.endsWith("/index.ts"))
        .map(({ text }) => text)
        .join("\n");
      const used = new Set(
        files
          .filter(({ path }) => !path.startsWith(own))
          .flatMap(({ text }) => importedNames(text, `@carillon/${name}`)),
      );
      const exported = exportedValues(index);
      expect(index).not.to.match(/export \* from "(?!\.\/(?:\w+\/index|declared)\.ts")/);
      expect(exported.length).to.be.greaterThan(50);
      expect(exported.filter((value) => !used.has(value))).to.deep.equal([]);
    });
});

/** Types are excluded: an exported function needs the types of its parameters and result. */
function exportedValues(index: string): string[] {
  const lists = [...index.matchAll(/export \{([^}]*)\} from/g)].map((match) => match[1] ?? "");
  return names(lists).filter((name) => !name.startsWith("type "));
}

function importedNames(text: string, from: string): string[] {
  const lists = [...text.matchAll(/import (?:type )?\{([^}]*)\} from "([^"]+)"/g)]
    .filter((match) => match[2] === from)
    .map((match) => match[1] ?? "");
  return names(lists).map((name) => name.replace(/^type /, "").replace(/ as .*$/, ""));
}

function names(lists: readonly string[]): string[] {
  return lists.flatMap((list) => list.split(",").map((name) => name.trim())).filter(Boolean);
}
