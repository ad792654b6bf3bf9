import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";

import { writeSlackExport } from "../../../packages/transfer/src/test-support/slack-export.ts";
import { commandLineOn } from "./test-support.ts";

describe("carillon organization convert", () => {
  const run = commandLineOn(undefined);
  let folder: string;
  let source: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-convert-"));
    source = await writeSlackExport({
      days: {
        "2023-11-14": { general: [{ user: "U0ADA", ts: "1700000001.000100", text: "hello" }] },
      },
    });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const convert = (to: string, ...more: readonly string[]) =>
    run(["organization", "convert", "slack", source, "--to", join(folder, to), ...more]);

  it("writes a folder and a report without a database, and prints how much was carried over", async () => {
    const { code, said, noted } = await convert("one", "--name", "Acme Works");
    expect(code, noted).to.equal(0);
    expect(said.split("\n")).to.include.members(["1 messages", "6 users", "3 channels"]);
    expect(noted).to.include("Left out on purpose: pins of messages (1)");
    expect(noted).to.include("Left out or changed: e-mail address (1)");
    expect(await readFile(join(folder, "one/realms.ndjson"), "utf8")).to.include("Acme Works");
    expect(await readFile(join(folder, "one-report.ndjson"), "utf8")).to.include("U0NOMAIL");
  });

  it("refuses wrong options and an existing folder before it reads the export", async () => {
    for (const [more, problem] of [
      [["--topic", "x".repeat(61)], /--topic must not have more than 60 characters/],
      [["--url", "chat.example.com"], /--url must be like https:\/\/chat\.example\.com/],
    ] as const) {
      const { code, noted } = await convert("two", ...more);
      expect(code).to.equal(2);
      expect(noted).to.match(problem);
    }
    expect((await convert("one")).noted).to.match(/one already exists/);
    expect(existsSync(join(folder, "two"))).to.equal(false);
  });

  it("names a file that is no zip file, and leaves no folder", async () => {
    source = join(folder, "broken.zip");
    await writeFile(source, "no zip file");
    const { code, noted } = await convert("three");
    expect(code).to.equal(1);
    expect(noted).to.match(/broken\.zip: cannot be read as a zip file/);
    expect(existsSync(join(folder, "three"))).to.equal(false);
  });
});
