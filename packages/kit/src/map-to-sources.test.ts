import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { transform } from "esbuild";

import { mapToSources } from "./map-to-sources.ts";

describe("mapToSources", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-places-"));
  });
  after(() => rm(folder, { recursive: true }));

  const source = `interface Nothing { at: "run time" }

export const one = (): never => {
  const thrown: Nothing | Error = new Error("of its own line");
  throw thrown;
};
export const two = (): never => { if (one.length) one(); throw new TypeError("further on"); };
`;
  const stackOf = (work: () => never) => {
    try {
      return work();
    } catch (error) {
      return (error as Error).stack ?? "";
    }
  };

  for (const minify of [false, true])
    it(`replaces positions in a bundle by positions in its sources${minify ? ", minified to one line" : ""}`, async () => {
      const { code, map } = await transform(source, {
        loader: "ts",
        sourcemap: "external",
        sourcefile: "sources/it.ts",
        minify,
      });
      const file = join(folder, `bundle-${minify}.js`);
      await writeFile(join(folder, "package.json"), '{"type":"module"}');
      await writeFile(file, code);
      await writeFile(`${file}.map`, map);
      const { one, two } = (await import(pathToFileURL(file).href)) as Record<string, () => never>;
      const place = (line: number, text: string) =>
        `${pathToFileURL(folder).href}/sources/it.ts:${line}:${(source.split("\n")[line - 1] ?? "").indexOf(text) + 1}`;
      if (!one || !two) throw new Error("nothing is exported");
      expect(mapToSources(stackOf(one)).split("\n")[1]).to.include(place(4, "new Error"));
      expect(mapToSources(stackOf(two)).split("\n")[1]).to.include(place(7, "new TypeError"));
    });

  it("keeps positions when there is no map or an unreadable one", async () => {
    const stack = `Error: x\n    at f (${pathToFileURL(folder).href}/none.js:1:2)\n    at node:internal/x:3:4`;
    expect(mapToSources(stack)).to.equal(stack);
    await writeFile(join(folder, "torn.js.map"), '{"mappings": ');
    const torn = stack.replace("none", "torn");
    expect(mapToSources(torn)).to.equal(torn);
  });
});
