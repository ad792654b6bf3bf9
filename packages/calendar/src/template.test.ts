import { holds } from "@carillon/testkit";
import { expect } from "chai";
import fc from "fast-check";
import { CalendarError } from "./calendar-error.ts";
import { parseDate } from "./dates.ts";
import { checkTemplate, expandTemplate } from "./template.ts";

const occurrence = { day: parseDate("2026-12-01")!, number: 7 };

describe("templates", () => {
  it("know the date, the day of the week, the week and the number", () => {
    const text = "{weekday} {date}, week {week}, no. {n}: {{n}} }}{{";
    checkTemplate(text);
    expect(expandTemplate(text, occurrence)).to.equal("Tuesday 2026-12-01, week 49, no. 7: {n} }{");
  });

  for (const text of ["{nme}", "{", "a } b", "{}", "{{n}", "{N}", "{n", "{constructor}"])
    it(`rejects "${text}"`, () => {
      expect(() => checkTemplate(text))
        .to.throw(CalendarError, /write|use/)
        .with.property("field", "template");
    });

  it("write any text whose braces are doubled as it is", async () => {
    const same = (text: string) => {
      const doubled = text.replaceAll(/[{}]/g, (brace) => brace + brace);
      checkTemplate(doubled);
      expect(expandTemplate(doubled, occurrence)).to.equal(text);
    };
    const unit = fc.oneof(
      fc.constantFrom("{", "}", "n"),
      fc.string({ unit: "binary", maxLength: 1 }),
    );
    await holds(fc.property(fc.string({ unit }), same));
  });
});
