import { expect } from "chai";
import { decodeForm } from "./form-decoder.ts";

type Pairs = Array<[string, string]>;

async function decode(form: string | Buffer): Promise<Pairs> {
  const pairs: Pairs = [];
  await decodeForm(Buffer.from(form as string), (name, value) => pairs.push([name, value]));
  return pairs;
}

describe("decodeForm", () => {
  it("decodes like URLSearchParams", async () => {
    const pieces = [
      ...Array.from("&=+%?;#ab1\0\r\näé✓😀\ufeff\ufffd"),
      ..."%20 %2B %26 %3d %25 %00 %41 %zz %4 %C3%A4 %c3 %A4 %F0%9F%98%80 %F0%9F %ED%A0%80 %EF%BB%BF %FF %".split(
        " ",
      ),
      "&&",
      "==",
      "%%20",
      "\ud800",
    ];
    let seed = 19;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let round = 0; round < 20_000; round++) {
      const form = Array.from({ length: random(14) }, () => pieces[random(pieces.length)]).join("");
      // Node's own class garbles letters beyond ASCII beside an escape that is none, against the standard.
      const ascii = Buffer.from(form)
        .toString()
        .replaceAll(/[\u0080-\u{10ffff}]/gu, encodeURIComponent);
      expect(await decode(form), JSON.stringify(form)).to.deep.equal([
        ...new URLSearchParams(ascii),
      ]);
    }
  });

  it("decodes invalid UTF-8 bytes like their escapes", async () => {
    const raw = Buffer.from([0x61, 0x3d, 0xc3, 0x28, 0xa4, 0xf0, 0x9f, 0x98, 0x26, 0x62]);
    expect(await decode(raw)).to.deep.equal([...new URLSearchParams("a=%C3%28%A4%F0%9F%98&b")]);
  });

  it("cuts neither an escape nor a character in two", async () => {
    // Pieces of every length before it, so that the cuts fall on each of its bytes.
    for (const [unit, meant] of [
      ["%F0%9F%98%80", "😀"],
      ["😀", "😀"],
      ["%E2%9C%93é", "✓é"],
      ["%4", "%4"],
      ["+", " "],
    ] as const) {
      for (let before = 0; before < 12; before++) {
        const times = Math.ceil(600_000 / unit.length);
        const [[, value] = [], last] = await decode(
          `a=${"x".repeat(before)}${unit.repeat(times)}&b=1`,
        );
        const right = value === "x".repeat(before) + meant.repeat(times);
        expect(right, `${unit} after ${before}`).to.equal(true);
        expect(last).to.deep.equal(["b", "1"]);
      }
    }
  });

  it("yields to the event loop", async () => {
    for (const unit of ["+", "%20", "é", "x", "a=1&"]) {
      const bytes = Buffer.from(`a=${unit.repeat(Math.ceil(8_000_000 / unit.length))}`);
      let turns = 0;
      let over = false;
      const count = () => {
        turns++;
        if (!over) setImmediate(count);
      };
      setImmediate(count);
      await decodeForm(bytes, () => {});
      over = true;
      expect(turns, unit).to.be.greaterThan(10);
    }
  });
});
