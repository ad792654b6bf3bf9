import { PassThrough } from "node:stream";
import { expect } from "chai";

import { Interrupted } from "./cleanups.ts";
import { ownTerminal } from "./terminal.ts";

describe("the terminal of carillon", () => {
  const scene = () => {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    let written = "";
    stderr.on("data", (piece: Buffer) => (written += piece.toString()));
    const terminal = ownTerminal({ stdin, stdout, stderr });
    /** What a person sees of the line: what was written since it was cleared last. */
    const seen = () => written.slice(Math.max(0, written.lastIndexOf("\x1b[0J")));
    return { stdin, stdout, terminal, seen, all: () => written };
  };

  it("echoes answers, but not secrets", async () => {
    for (const key of ["ask", "askSecret"] as const) {
      const { stdin, terminal, seen, all } = scene();
      const answered = terminal[key]("What is it called");
      expect(seen()).to.include("What is it called: ");
      stdin.write("Lighthouse");
      await new Promise((resolve) => setImmediate(resolve));
      expect(seen()).to.include("What is it called: ");
      expect(all().includes("Lighthouse")).to.equal(key === "ask");
      stdin.write("\r");
      expect(await answered).to.equal("Lighthouse");
    }
  });

  it("is interrupted by Ctrl-C and Ctrl-D", async () => {
    for (const key of ["\x03", "\x04"]) {
      const { stdin, terminal } = scene();
      const answered = terminal.ask("What").catch((error: unknown) => error);
      stdin.write(key);
      expect(await answered).to.be.instanceOf(Interrupted);
    }
  });

  it("continues when its reader closes the pipe", () => {
    const { stdout, terminal } = scene();
    expect(() =>
      stdout.emit("error", Object.assign(new Error("write EPIPE"), { code: "EPIPE" })),
    ).not.to.throw();
    terminal.say("more");
  });
});
