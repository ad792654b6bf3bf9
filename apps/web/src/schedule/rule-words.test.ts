import { expect } from "chai";
import { ruleOf } from "./rule.ts";
import { ruleInWords } from "./rule-words.ts";

describe("Rules in words", () => {
  const now = Date.parse("2026-11-27T13:00:00Z") / 1_000;
  const style = { zone: "Europe/Berlin", locale: "en-GB", twentyFourHours: true };

  for (const [text, words] of [
    ["FREQ=DAILY", "Every day at 09:00"],
    ["FREQ=DAILY;INTERVAL=3", "Every 3 days at 09:00"],
    ["FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "Every weekday at 09:00"],
    ["FREQ=WEEKLY;BYDAY=MO,FR", "Every Monday and Friday at 09:00"],
    ["FREQ=WEEKLY;INTERVAL=2;BYDAY=TU", "Every 2 weeks on Tuesday at 09:00"],
    // The first of December is a Tuesday.
    ["FREQ=WEEKLY", "Every Tuesday at 09:00"],
    ["FREQ=MONTHLY;BYMONTHDAY=15", "Every month on day 15 at 09:00"],
    ["FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=-1", "Every 2 months on the last day at 09:00"],
    ["FREQ=DAILY;UNTIL=20261231", "Every day at 09:00, until Thu 31 Dec"],
    ["FREQ=DAILY;COUNT=10", "Every day at 09:00, 10 times"],
    ["FREQ=YEARLY", "By the rule FREQ=YEARLY at 09:00"],
  ] as const)
    it(`say "${words}"`, () => {
      const said = ruleInWords(ruleOf(text), "2026-12-01T09:00:00", now, style);
      expect(said.replace("Thu, ", "Thu ")).to.equal(words);
    });
});
