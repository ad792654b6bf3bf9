import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { wantedLists } from "../../scripts/lib/lists.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("the generated lists of declarations", () => {
  it("are up to date", async () => {
    for (const [file, text] of wantedLists(root)) {
      expect(await readFile(join(root, file), "utf8"), `${file}: npm run generate`).to.equal(text);
      expect(text.split("\n").length, file).to.be.greaterThan(4);
    }
  });

  it("name every declaring file below their folder and no other, sorted", async () => {
    const top = await mkdtemp(join(tmpdir(), "carillon-lists-"));
    const put = async (path: string, text: string) => {
      await mkdir(dirname(join(top, path)), { recursive: true });
      await writeFile(join(top, path), text);
    };
    try {
      await put("packages/jobs/src/definitions/b.ts", "export const b = job({});\n");
      await put("packages/jobs/src/definitions/deep/a.ts", "export const a = intentJob({});\n");
      await put("packages/jobs/src/definitions/a.test.ts", "export const c = job({});\n");
      await put("packages/jobs/src/definitions/helper.ts", "export const few = 3;\n// = job({\n");
      await put("packages/jobs/src/recurring/r.ts", "export const r = recurring({});\n");
      await put("packages/contract/src/events/e.ts", "const x = 1;\nexport const e = event({});\n");
      await put("packages/contract/src/operations/deep/o.ts", "export const o = operation({});\n");
      await put(
        "packages/contract/src/operations/both.ts",
        "export const o = operation({});\nexport const e = event({});\n",
      );
      await put(
        "packages/domain/src/register/sections/s.ts",
        "export const s: readonly Section[] = [];\n",
      );
      await put("packages/domain/src/resource.ts", "export const more: Section = {};\n");
      await put("packages/domain/src/index.ts", 'export * from "./declared.ts";\n');
      const lists = new Map(wantedLists(top));
      expect(lists.get("packages/domain/src/declared.ts")).to.match(
        /^.*\nexport \* from "\.\/resource\.ts";\n$/,
      );
      lists.delete("packages/domain/src/declared.ts");
      const lines = [...lists].map(([file, text]) => [
        dirname(file).split("/").at(-1),
        text.split("\n").slice(1, -1),
      ]);
      expect(Object.fromEntries(lines)).to.deep.equal({
        operations: ['export * from "./both.ts";', 'export * from "./deep/o.ts";'],
        events: ['export * from "../operations/both.ts";', 'export * from "./e.ts";'],
        definitions: ['export * from "./b.ts";', 'export * from "./deep/a.ts";'],
        recurring: ['export * from "./r.ts";'],
        sections: ['export * from "../../resource.ts";', 'export * from "./s.ts";'],
      });
    } finally {
      await rm(top, { recursive: true });
    }
  });
});
