import { Cleanups } from "./cleanups.ts";
import { commandLine } from "./program.ts";
import { commandLineOn } from "./test-support.ts";
import { expect } from "chai";
import type { Command } from "commander";

describe("carillon", () => {
  const run = commandLineOn(undefined, { DATA_DIR: "/nonexistent", SECRET_KEY: undefined });

  it("prints help at every level, without an installation", async () => {
    const levels = (command: Command, words: string[]): string[][] => [
      words,
      ...command.commands.flatMap((one) => levels(one, [...words, one.name()])),
    ];
    const terminal = { say() {}, note() {} };
    const all = levels(commandLine({ terminal: terminal as never, cleanups: new Cleanups() }), []);
    expect(all.length).to.be.greaterThan(15);
    for (const words of all) {
      const { code, said } = await run([...words, "--help"]);
      expect(code, words.join(" ")).to.equal(0);
      expect(said).to.include(`Usage: ${["carillon", ...words].join(" ")}`);
      // Each has a sentence of its own.
      expect(said.split("\n")[2], words.join(" ")).to.match(/^[A-Z]\w/);
    }
    expect((await run(["--version"])).said).to.match(/^\d+\.\d+\.\d+$/);
  });

  it("exits with 2 on a usage error", async () => {
    for (const [words, wanted] of [
      [[], /Usage: carillon/],
      [["nonsense"], /unknown command 'nonsense'/],
      [["organization"], /Usage: carillon organization/],
      [["account", "create", "--what"], /unknown option '--what'/],
      [["account", "create", "--role", "king"], /--role.*king.*Allowed choices are owner/],
      [["account", "reset-password"], /missing required argument 'account'/],
      [["key", "issue", "a@b.test"], /--zuliprc/],
      // Secrets are not words of a command line, which every user of the machine can read.
      [["account", "create", "--password", "secret"], /unknown option '--password'/],
      // Nobody is there to ask.
      [["account", "create"], /--name is missing/],
      [["account", "reset-password", "a@b.test"], /no terminal to prompt.*--password-file/],
    ] as const) {
      const { code, said, noted } = await run(words);
      expect(noted, words.join(" ")).to.match(wanted);
      expect(said).to.equal("");
      expect(code, words.join(" ")).to.equal(2);
    }
  });

  it("exits with 1 and one line without an installation", async () => {
    const { code, noted } = await run(["organization", "list"]);
    expect(code).to.equal(1);
    expect(noted).to.match(
      /^carillon: DATABASE_URL is not set, and DATA_DIR \/nonexistent has no database.*$/,
    );
    const wrong = commandLineOn(undefined, { PORT: "many" });
    expect(await wrong(["doctor"])).to.include({
      code: 1,
      said: "failed   configuration: PORT must be a port number from 0 to 65535",
    });
    const { noted: away } = await commandLineOn("postgresql://127.0.0.1:1/x")([
      "organization",
      "list",
    ]);
    expect(away).to.equal(
      "carillon: DATABASE_URL: no PostgreSQL answers at 127.0.0.1:1/x (ECONNREFUSED)",
    );
  });
});
