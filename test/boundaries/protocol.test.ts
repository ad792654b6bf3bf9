import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { allOperations } from "@carillon/contract";
import { expect } from "chai";
import { citations, ownCitations, unresolved } from "./citations.ts";
import { protocolPage, readPages, type ProtocolPage } from "./protocol-pages.ts";
import { unservedMarks } from "./served.ts";
import { readFiles } from "./source-files.ts";

describe("the pages of the protocol", () => {
  let pages: ProtocolPage[];
  let texts: Array<{ path: string; text: string }>;

  before(async () => {
    pages = await readPages();
    const folders = ["packages", "apps", "test", "bench", "scripts", "prisma", "docs", "docker"];
    const files = await readFiles(folders, /\.(?:[cm]?[jt]s|sql|prisma|md|ya?ml)$/);
    texts = files.filter(({ path }) => !path.startsWith("test/boundaries/"));
  });

  it("have every section that code, tests and documents cite", () => {
    const found = texts.flatMap(({ path, text }) => citations(path, text));
    expect(found.length).to.be.greaterThan(300);
    expect(unresolved(found, pages)).to.deep.equal([]);
  });

  it("have every section that they cite themselves", () => {
    const found = pages.flatMap(ownCitations);
    expect(found.length).to.be.greaterThan(50);
    expect(unresolved(found, pages)).to.deep.equal([]);
  });

  it("have no broken links, nor has any other document", () => {
    const broken: string[] = [];
    for (const { path, text } of texts.filter((file) => file.path.endsWith(".md"))) {
      const base = new URL(`../../${path}`, import.meta.url);
      for (const [, target = ""] of text
        .replaceAll(/`[^`\n]*`/g, "")
        .matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)(?:#[^)]*)?\)/g))
        if (!target.startsWith("/") && !existsSync(fileURLToPath(new URL(target, base))))
          broken.push(`${path}: ${target}`);
    }
    expect(broken).to.deep.equal([]);
  });

  it("mark exactly the operations that are not served", () => {
    const served = allOperations.map(({ method, path }) => ({ method, path }));
    expect(pages.flatMap((page) => unservedMarks(page, served))).to.deep.equal([]);
  });

  it("are cited by section, numbered item or several at once, across line breaks of comments", () => {
    const page = protocolPage("area.md", "# A\n\n## 1. B\n\n1. x\n2. y\n\n### 1.3 C\n\n## 2. D\n");
    const said = "/** area.md §1, §2;\n * `area.md`\n * §1.2. area.md §1.3–2 and area.md §1.4 */";
    const found = citations("a.ts", said);
    expect(found.map(({ section }) => section)).to.deep.equal(["1", "2", "1.2", "1.3", "2", "1.4"]);
    expect(unresolved(found, [page])).to.deep.equal([
      "a.ts cites area.md §1.4, which does not exist",
    ]);
    expect(unresolved(found, [])).to.have.length(6);
  });

  it("are reported if a mark is missing or outdated", () => {
    const text = [
      "## 1. Old",
      "**Not served yet.** Some words.",
      "| `GET /a` | `GET /z` |",
      "### 1.1 `POST /b`",
      "## 2. New",
      "| `GET`/`PATCH /a/{id}` **Not served yet.** |",
      "| `GET /c` |",
    ].join("\n");
    const marks = (...served: string[]) =>
      unservedMarks(
        protocolPage("area.md", text),
        served.map((operation) => {
          const [method = "", path = ""] = operation.split(" ");
          return { method, path };
        }),
      );
    expect(marks("GET /api/v1/c")).to.deep.equal([]);
    expect(marks()).to.deep.equal(["area.md: GET /c is not served"]);
    expect(marks("GET /c", "POST /b", "PATCH /api/v1/a/{name}")).to.deep.equal([
      "area.md: POST /b is served",
      "area.md: PATCH /a/{id} is served",
    ]);
  });
});
