import { expect } from "chai";
import { type Rule, ruleOf, textOfRule } from "./rule.ts";

describe("Rules of the form", () => {
  const rule = (more: Partial<Rule>): Rule => ({
    kind: "daily",
    interval: 1,
    days: [],
    monthDay: 1,
    end: { kind: "never" },
    text: "",
    ...more,
  });

  for (const [given, text] of [
    [rule({}), "FREQ=DAILY"],
    [rule({ interval: 3 }), "FREQ=DAILY;INTERVAL=3"],
    [rule({ kind: "weekdays", interval: 4 }), "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"],
    [rule({ kind: "weekly", days: ["FR", "MO"] }), "FREQ=WEEKLY;BYDAY=MO,FR"],
    [rule({ kind: "weekly", interval: 2, days: ["TU"] }), "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"],
    [rule({ kind: "weekly" }), "FREQ=WEEKLY"],
    [rule({ kind: "monthly", monthDay: 31 }), "FREQ=MONTHLY;BYMONTHDAY=31"],
    [rule({ kind: "monthly", monthDay: -1 }), "FREQ=MONTHLY;BYMONTHDAY=-1"],
    [rule({ end: { kind: "until", date: "2026-12-31" } }), "FREQ=DAILY;UNTIL=20261231"],
    [rule({ end: { kind: "count", count: 5 } }), "FREQ=DAILY;COUNT=5"],
    [rule({ kind: "other", text: " FREQ=YEARLY " }), "FREQ=YEARLY"],
  ] as const)
    it(`writes ${text}`, () => {
      expect(textOfRule(given)).to.equal(text);
    });

  for (const text of [
    "FREQ=DAILY",
    "FREQ=DAILY;INTERVAL=3",
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;UNTIL=20261231",
    "FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=12",
  ])
    it(`reads ${text} so that it can be edited`, () => {
      expect(ruleOf(text).kind).not.to.equal("other");
      expect(textOfRule(ruleOf(text))).to.equal(text);
    });

  it("reads small letters, and the name before the rule", () => {
    expect(ruleOf("rrule:freq=weekly;byday=we")).to.include({ kind: "weekly" });
  });

  for (const text of [
    "FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=1",
    "FREQ=MONTHLY;BYDAY=2TU",
    "FREQ=MONTHLY;BYMONTHDAY=1,15",
    "FREQ=MONTHLY;BYMONTHDAY=-2",
    "FREQ=DAILY;BYDAY=MO",
    "FREQ=DAILY;UNTIL=20261231T120000Z",
    "FREQ=WEEKLY;BYDAY=MO;WKST=SU",
    "nonsense",
  ])
    it(`keeps ${text} as it is, which the form cannot show`, () => {
      expect(ruleOf(text)).to.include({ kind: "other", text });
      expect(textOfRule(ruleOf(text))).to.equal(text);
    });
});
