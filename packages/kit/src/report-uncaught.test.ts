import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { build } from "esbuild";

/** Returns the source of a program that ends with an uncaught error. */
const source = (how: string) => `
import { reportUncaught } from ${JSON.stringify(fileURLToPath(new URL("report-uncaught.ts", import.meta.url)))};
reportUncaught();
const later = async (): Promise<never> => {
  await null;
  throw new Error("nobody caught this", { cause: new TypeError("because of this") });
};
${how};
`;

describe("an uncaught error", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-uncaught-"));
  });
  after(() => rm(folder, { recursive: true }));

  for (const how of ["void later()", "setTimeout(later)", "await later()"])
    it(`ends the process with exit code 1 and prints its source line, after ${how}`, async () => {
      const file = join(folder, "thrower.ts");
      await writeFile(join(folder, "package.json"), '{"type":"module"}');
      await writeFile(file, source(how));
      const outfile = join(folder, "bundle.js");
      await build({
        entryPoints: [file],
        outfile,
        bundle: true,
        format: "esm",
        platform: "node",
        minify: true,
        sourcemap: true,
        logLevel: "silent",
      });
      const { status, stderr } = spawnSync(process.execPath, [outfile], { encoding: "utf8" });
      expect(status).to.equal(1);
      expect(stderr).to.include("Error: nobody caught this");
      expect(stderr).to.match(/thrower\.ts:6:\d+/);
      expect(stderr).to.include("TypeError: because of this");
      expect(stderr).to.not.include("bundle.js:");
    });
});
