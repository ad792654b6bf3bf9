import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatDate, parseDate, parseRule, Recurrence } from "@carillon/calendar";
import { randomRules } from "@carillon/testkit";
import { expect } from "chai";
import { usePython } from "./support/python.ts";

const count = 20;
const last = "2036-01-01";

describe("Python's dateutil", function () {
  this.timeout(600_000);
  const python = usePython();

  it("finds the same days of 10,000 random rules", async () => {
    // Its first set of a weekly rule with BYSETPOS begins at the start, that of RFC 5545 at the beginning of the week.
    const rules = randomRules(10_500, 7)
      .filter(({ rrule }) => !(rrule.includes("WEEKLY") && rrule.includes("BYSETPOS")))
      .slice(0, 10_000);
    expect(rules).to.have.length(10_000);
    const folder = await mkdtemp(join(tmpdir(), "carillon-rules-"));
    try {
      const file = join(folder, "rules.json");
      await writeFile(file, JSON.stringify(rules.map((rule) => ({ ...rule, count }))));
      const program = python.script("recurrence.py", [file, last]);
      expect(await program.exit, program.output()).to.include({ code: 0 });
      const theirs = program.lines.map((line) => line["days"]);
      expect(theirs).to.have.length(rules.length);
      for (const [index, { rrule, start }] of rules.entries())
        expect(firstDays(rrule, start), `${rrule} from ${start}`).to.deep.equal(theirs[index]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

function firstDays(rrule: string, start: string): string[] {
  const rule = parseRule(rrule);
  const first = parseDate(start)!;
  const until = rule.until && "day" in rule.until ? rule.until.day : undefined;
  const days: string[] = [];
  const end = parseDate(last) ?? 0;
  for (const day of new Recurrence(rule, first, until).days(first - 1, end)) {
    if (days.length === count) break;
    days.push(formatDate(day));
  }
  return days;
}
