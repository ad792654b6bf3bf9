import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { StartupError } from "@carillon/kit";
import { expect } from "chai";

import { secretFrom } from "./secret-input.ts";
import type { Terminal } from "./terminal.ts";

describe("a secret for carillon", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-secret-"));
  });
  after(() => rm(folder, { recursive: true }));

  const from = (file: string, pieces: readonly Buffer[] = []) =>
    secretFrom({ input: Readable.from(pieces), interactive: false } as Terminal, file, {
      what: "password",
      option: "--password-file",
    });
  const inFile = async (text: string) => {
    const file = join(folder, "secret");
    await writeFile(file, text);
    return from(file);
  };
  const refusal = (secret: Promise<string>) =>
    secret.then(
      () => "",
      (error: unknown) => {
        expect(error).to.be.instanceOf(StartupError);
        return (error as Error).message;
      },
    );

  it("is the line of a file, without a byte order mark and line end", async () => {
    for (const text of ["a pass word", "a pass word\n", "a pass word\r\n", "\ufeffa pass word\r\n"])
      expect(await inFile(text)).to.equal("a pass word");
    expect(await inFile(" blanks \n")).to.equal(" blanks ");
    expect(await refusal(inFile("two\nlines\n"))).to.match(/one line; this has several/);
  });

  it("is read whole from standard input, however it is chunked", async () => {
    const bytes = Buffer.from("pässwörd\n");
    const pieces = [...bytes].map((byte) => Buffer.from([byte]));
    expect(await from("-", pieces)).to.equal("pässwörd");
  });

  it("has a maximum length", async () => {
    expect(await refusal(from("/dev/zero"))).to.match(/cannot be read \(it has more than/);
    expect(await refusal(from(folder))).to.match(/cannot be read \(EISDIR\)/);
    const endless = Array.from({ length: 100 }, () => Buffer.alloc(1_000, "x"));
    expect(await refusal(from("-", endless))).to.match(/at most 4096/);
  });
});
