import { expect } from "chai";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { loadDefaults } from "./load-defaults.ts";
import { StartupError } from "./startup-error.ts";

describe("loadDefaults", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "defaults-"));
    await writeFile(join(folder, "package.json"), '{"type":"module"}');
  });
  afterEach(() => rm(folder, { recursive: true }));
  const load = () => loadDefaults(pathToFileURL(folder), "a word", (value) => isWord(value));
  const isWord = (value: unknown): value is string => typeof value === "string";

  it("returns the default exports of all modules except tests, in the order of their paths", async () => {
    await mkdir(join(folder, "deep"));
    await writeFile(join(folder, "b.js"), 'export default "b";');
    await writeFile(join(folder, "deep", "c.js"), 'export default "c";');
    await writeFile(join(folder, "a.js"), 'export default "a";');
    await writeFile(join(folder, "helper.js"), "export const helper = 1;");
    await writeFile(join(folder, "a.test.js"), "throw new Error();");
    await writeFile(join(folder, "a.d.ts"), "export {};");
    expect(await load()).to.deep.equal(["a", "b", "c"]);
  });

  it("returns each element of a default export that is a list", async () => {
    await writeFile(join(folder, "a.js"), 'export default ["a", "b"];');
    await writeFile(join(folder, "c.js"), 'export default "c";');
    expect(await load()).to.deep.equal(["a", "b", "c"]);
    await writeFile(join(folder, "d.js"), 'export default ["d", 5];');
    expect(await load().catch((error: unknown) => error)).to.be.instanceOf(StartupError);
  });

  it("refuses other default exports with an error that names the file", async () => {
    await writeFile(join(folder, "wrong.js"), "export default 5;");
    const failure = await load().catch((error: unknown) => error);
    expect(failure)
      .to.be.instanceOf(StartupError)
      .with.property("message")
      .that.matches(/wrong\.js is not a word$/);
  });

  it("returns the default exports of a list of modules, which a bundle has instead of a folder", async () => {
    const modules = [
      { file: "a.ts", module: { default: "a" } },
      { file: "helper.ts", module: {} },
    ];
    expect(await loadDefaults(modules, "a word", isWord)).to.deep.equal(["a"]);
  });
});
