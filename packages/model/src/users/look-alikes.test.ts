import { expect } from "chai";

import { lookAlike, skeletonOf } from "./look-alikes.ts";

describe("Names that look alike", () => {
  const alike = (one: string, other: string) => lookAlike(skeletonOf(one), skeletonOf(other));

  for (const [one, other] of [
    ["Olivia Owner", "\u041elivia Owner"],
    ["Olivia Owner", "olivi\u0430 owner"],
    ["Helen Owner", "\u041delen \u043ewner"],
    ["Nancy", "\u039dancy"],
    ["Ian", "\u0406an"],
    ["ian", "\u0406AN"],
    ["Ian", "lan"],
    ["Ian", "|an"],
    ["lan", "\u04c0an"],
    ["Mark", "\u{1d40c}ark"],
    ["Zo\u00eb", "Zo\u0435\u0308"],
    ["Pat  Old", "P\u0430t\u200b Old"],
    ["\u0421\u0430\u0448\u0430", "Ca\u0448a"],
    ["\u30ab\u30ca", "\u529b\u30ca"],
  ] as const)
    it(`${one} and ${JSON.stringify(other)} look alike`, () => {
      expect(alike(one, other)).to.equal(true);
      expect(alike(other, one)).to.equal(true);
    });

  for (const [one, other] of [
    ["Ian", "Lan"],
    ["IAN", "LAN"],
    ["\u0406an", "Lan"],
    ["Dom", "Dorn"],
    ["Team 1", "Team l"],
    ["Room 0", "Room O"],
    ["Zo\u00eb", "Zoe"],
    ["Ann", "Anna"],
    ["\u0410\u043d\u043d\u0430", "Anna"],
    ["\u0430\u0431", "ab"],
  ] as const)
    it(`${one} and ${other} do not look alike`, () => {
      expect(alike(one, other)).to.equal(false);
    });

  it("are found in all Unicode normalization forms", () => {
    for (const form of ["NFC", "NFD", "NFKC", "NFKD"] as const)
      expect(alike("Zoë Ærø\u0430".normalize(form), "ZOË ÆRØA"), form).to.equal(true);
  });
});
