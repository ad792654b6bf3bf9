import { expect } from "chai";

import { UniqueNames } from "../clean-names.ts";
import { splitContent } from "./convert-message.ts";

describe("long messages of Slack", () => {
  it("become parts that are no longer than a message may be, and keep every line", () => {
    const long = "`".repeat(6000);
    for (const [open, close] of [
      ["```", "```"],
      ["> ```", "> ```"],
      [long, long],
      ["text", "text"],
    ] as const) {
      const lines = Array.from({ length: 9000 }, (_, n) => `> line ${n}`);
      const parts = splitContent([open, ...lines, close].join("\n"), 10_000);
      expect(parts.map((part) => part.length > 10_000)).not.to.include(true);
      const kept = parts
        .flatMap((part) => part.split("\n"))
        .filter((line) => line.includes("line"));
      expect(kept).to.deep.equal(lines);
    }
  });

  it("close and open a block of code where they are split, in a quote too", () => {
    for (const fence of ["```", "> ```"]) {
      const parts = splitContent(
        [fence, ..."x\n".repeat(9000).split("\n"), fence].join("\n"),
        10_000,
      );
      for (const part of parts) {
        const lines = part.split("\n");
        expect([lines[0], lines.at(-1)]).to.deep.equal([fence, fence]);
      }
    }
  });
});

describe("unique names", () => {
  it("takes no longer for equal names than for different ones", () => {
    const names = new UniqueNames(60);
    const started = process.cpuUsage().user;
    for (let n = 1; n <= 20_000; n++)
      expect(names.take("New ticket")).to.equal(n === 1 ? "New ticket" : `New ticket (${n})`);
    expect(process.cpuUsage().user - started).to.be.below(2_000_000);
  });
});
