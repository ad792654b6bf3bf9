import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { parseZuliprc } from "./index.ts";
import { clientFromZuliprc } from "./node.ts";

describe("parseZuliprc", () => {
  const expected = { email: "bot@carillon.test", apiKey: "abc=d", site: "http://127.0.0.1:9991" };

  it("reads the files that the server and the Python library write", () => {
    const lines = ["[api]", "email=bot@carillon.test", "key=abc=d", "site=http://127.0.0.1:9991"];
    for (const text of [
      lines.join("\n"),
      `\uFEFF${lines.join("\r\n")}\r\n`,
      `# comment\n[other]\nkey=wrong\n${lines.join("\n\n")}\n[more]\nkey=wrong\n`,
      lines.join("\n").replaceAll("=h", " : h").replaceAll("email=", "  email = "),
    ])
      expect(parseZuliprc(text), text).to.deep.equal(expected);
  });

  it("takes an address without a scheme as one on https", () => {
    const text = "[api]\nemail=a@b\nkey=c\nsite=chat.example.org\n";
    expect(parseZuliprc(text).site).to.equal("https://chat.example.org");
  });

  it("names what is missing, and never the key", () => {
    expect(() => parseZuliprc("")).to.throw("site");
    expect(() => parseZuliprc("[api]\nsite=x\nkey=hidden")).to.throw(/email(?!.*hidden)/);
    expect(() => parseZuliprc("[api]\nsite=x\nemail=a@b\nkey=\n")).to.throw("key");
    expect(() => parseZuliprc("site=x\nemail=a@b\nkey=c\n")).to.throw("[api]");
  });

  it("is read from a file by clientFromZuliprc", async () => {
    const folder = await mkdtemp(join(tmpdir(), "carillon-zuliprc-"));
    const path = join(folder, "zuliprc");
    await writeFile(path, "[api]\nemail=a@b\nkey=c\nsite=http://127.0.0.1:1\n");
    const client = await clientFromZuliprc(path, { retries: 0 });
    expect(await client.getOwnUser().catch(String)).to.include("NO_ANSWER");
    expect(await clientFromZuliprc(join(folder, "none")).catch(String)).to.include("ENOENT");
    await rm(folder, { recursive: true });
  });
});
