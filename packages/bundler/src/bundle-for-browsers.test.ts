import { mkdir, mkdtemp, readFile, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect } from "chai";

import { bundleForBrowsers } from "./bundle-for-browsers.mjs";

const page = `<!doctype html>
<script type="module" src="main.tsx"></script>
`;

describe("The bundle of an app for browsers", () => {
  const apps = fileURLToPath(new URL("../../../apps", import.meta.url));
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(apps, ".bundled-"));
    await put("index.html", page);
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function put(name: string, text: string): Promise<void> {
    const path = join(folder, "src", name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  const read = (name: string) => readFile(join(folder, "dist", name), "utf8");
  const assets = () => readdir(join(folder, "dist", "assets"));
  const find = async (pattern: RegExp) => (await assets()).find((name) => pattern.test(name)) ?? "";

  it("names files by their content, and puts the names into the page", async () => {
    await put("style.css", "p { color: red }");
    await put("main.tsx", `import "./style.css"; document.title = "one";`);
    await bundleForBrowsers(folder);
    const [script, style] = [await find(/^main-[A-Z0-9]{8}\.js$/), await find(/\.css$/)];
    expect((await read("index.html")).split("\n").map((line) => line.trim())).to.deep.equal([
      "<!doctype html>",
      `<link rel="stylesheet" href="assets/${style}" />`,
      `<script type="module" src="assets/${script}"></script>`,
      "",
    ]);
    expect(await read(`assets/${style}`)).to.equal("p{color:red}\n");
    await put("main.tsx", `import "./style.css"; document.title = "two";`);
    await bundleForBrowsers(folder);
    const later = await read("index.html");
    expect(later).not.to.include(script);
    expect(later).to.include(style);
    expect(await assets(), "for open tabs").to.include(script);
    for (const name of await assets())
      if (name.startsWith(script)) await utimes(join(folder, "dist", "assets", name), 0, 0);
    await bundleForBrowsers(folder);
    expect(await assets()).not.to.include(script);
  });

  it("compresses what gets smaller", async () => {
    const text = "carillon ".repeat(100);
    await put("main.tsx", `document.title = ${JSON.stringify(text)}; void import("./late.ts");`);
    await put("late.ts", "export const a = 1;");
    await bundleForBrowsers(folder);
    const script = await find(/^main-\w+\.js$/);
    const bytes = (end: string) => readFile(join(folder, "dist", "assets", `${script}${end}`));
    const plain = await bytes("");
    expect(plain.toString()).to.include(text);
    expect(brotliDecompressSync(await bytes(".br"))).to.deep.equal(plain);
    expect(gunzipSync(await bytes(".gz"))).to.deep.equal(plain);
    expect((await assets()).filter((name) => name.startsWith("late-"))).to.have.length(1);
  });

  it("preloads the chunks that the entry imports, but not the chunks that these import", async () => {
    await put("main.tsx", `import { one } from "./shared.ts"; one(); void import("./views.ts");`);
    await put("shared.ts", `export const one = () => (document.title = "shared");`);
    await put("views.ts", `import { one } from "./shared.ts"; one(); void import("./late.ts");`);
    await put("late.ts", "export const a = 1;");
    await bundleForBrowsers(folder);
    const html = await read("index.html");
    const preloaded = [...html.matchAll(/modulepreload" href="assets\/(\w+)-/g)].map(
      ([, name]) => name,
    );
    expect(preloaded.sort()).to.deep.equal(["chunk", "views"]);
    expect(await find(/^late-/)).not.to.equal("");
  });

  it("bundles a stylesheet that is loaded when needed by itself, with its fonts", async () => {
    await put(
      "main.tsx",
      `import address from "katex/dist/katex.min.css?url"; document.title = address;`,
    );
    await bundleForBrowsers(folder);
    expect(await read("index.html")).not.to.include("stylesheet");
    const style = await find(/^katex.*\.css$/);
    expect(await read(`assets/${await find(/^main-\w+\.js$/)}`)).to.include(`"./${style}"`);
    const text = await read(`assets/${style}`);
    const fonts = [...text.matchAll(/url\("?([^")]+)"?\)/g)].map(([, name]) => name ?? "");
    expect(fonts).to.have.length(20);
    expect(await assets()).to.include.members(fonts.map((name) => name.replace("./", "")));
    expect(fonts.filter((name) => !name.endsWith(".woff2"))).to.deep.equal([]);
  });

  it("keeps the previous build when compiling fails", async () => {
    await put("main.tsx", "document.title = 'one';");
    await bundleForBrowsers(folder);
    const before = await read("index.html");
    await put("style.css", "p { color: red }");
    await put("late.ts", `import "./style.css";`);
    for (const [text, why] of [
      [`import "./gone.ts";`, /Could not resolve "\.\/gone\.ts"/],
      [`void import("./late.ts");`, /late\.ts is loaded when needed and imports a stylesheet/],
    ] as const) {
      await put("main.tsx", text);
      const failure = await bundleForBrowsers(folder).then(
        () => "",
        ({ message }: Error) => message,
      );
      expect(failure).to.match(why);
      expect(await read("index.html")).to.equal(before);
    }
  });
});
