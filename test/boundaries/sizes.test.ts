import { expect } from "chai";
import { readFiles } from "./source-files.ts";

describe("The files of what is shipped", () => {
  it("stay short: half of them under 50 lines, nine of ten under 120, all under 300", async () => {
    const files = (await readFiles(["packages", "apps"], /\.m?ts$/)).filter(
      ({ path }) => !/\.test\.ts$|\/test-support|^packages\/testkit\//.test(path),
    );
    const lines = files
      .map(({ path, text }) => ({ path, lines: text.split("\n").length - 1 }))
      .toSorted((a, b) => a.lines - b.lines);
    const at = (share: number) => lines[Math.floor(lines.length * share)]?.lines;
    expect(lines.length).to.be.greaterThan(500);
    expect(at(0.5), "the median").to.be.at.most(50);
    expect(at(0.9), "the 90th percentile").to.be.at.most(120);
    expect(lines.filter((file) => file.lines > 300)).to.deep.equal([]);
  });
});
