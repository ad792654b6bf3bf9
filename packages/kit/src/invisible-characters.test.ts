import { expect } from "chai";

import { invisibleCharacter } from "./invisible-characters.ts";

describe("Invisible characters", () => {
  for (const [text, found] of [
    ["Olivia\u200b Owner", "U+200B"],
    ["Oli\u00advia", "U+00AD"],
    ["\u202dOlivia", "U+202D"],
    ["Olivia\u2066x\u2069", "U+2066"],
    ["Oli\u200dvia", "U+200D"],
    ["Olivia\ufe0f", "U+FE0F"],
    ["\u3164", "U+3164"],
    ["\u2800", "U+2800"],
    ["Olivia\u{e0041}", "U+E0041"],
    ["م\u200c", "U+200C"],
    ["\u0301", "nothing"],
    ["", "nothing"],
  ] as const)
    it(`are found in ${JSON.stringify(text)}: ${found}`, () => {
      expect(invisibleCharacter(text)).to.equal(found);
    });

  for (const text of [
    "Olivia Owner",
    "می\u200cخواهم",
    "क्\u200dष",
    "శ్రీ\u200cమంతుడు",
    "👩\u200d🚀 launch",
    "👩🏽\u200d🚀",
    "❤\ufe0f",
    "1\ufe0f\u20e3",
    "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "葛\u{e0100}城",
    "Zoë",
    "山田 太郎",
    "🎉",
  ])
    it(`are allowed in ${text}, which needs them or has none`, () => {
      expect(invisibleCharacter(text)).to.equal(undefined);
    });

  it("include every default-ignorable code point and bidi control after a Latin letter", () => {
    const passed: string[] = [];
    for (let code = 0; code <= 0x10_ffff; code++) {
      const character = String.fromCodePoint(code);
      if (!/[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u.test(character)) continue;
      if (invisibleCharacter(`a${character}b`) === undefined) passed.push(code.toString(16));
    }
    expect(passed).to.deep.equal([]);
  });
});
