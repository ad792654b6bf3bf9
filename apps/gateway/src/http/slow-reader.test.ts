import { expect } from "chai";
import { cutOffIfOthersWait } from "./slow-reader.ts";

async function read(isContended: boolean, maxMs: number): Promise<string> {
  const parts = ["a", "b", "c"].map((text) => Buffer.from(text));
  let text = "";
  try {
    for await (const part of cutOffIfOthersWait(parts, { isContended }, maxMs)) text += part;
  } catch (error) {
    text += ` ${(error as Error).message}`;
  }
  return text;
}

describe("A client that reads a large answer slowly", () => {
  it("is cut off if others wait, and only then", async () => {
    expect(await read(true, -1)).to.match(/^ the client reads too slowly/);
    expect(await read(false, -1)).to.equal("abc");
    expect(await read(true, 60_000)).to.equal("abc");
  });
});
