import { holds } from "@carillon/testkit";
import { expect } from "chai";
import fc from "fast-check";
import { parseCommand, type Command, type Unclear } from "./parse-command.ts";
import { parseDates, parseRuleWords, parseTime, timesOfDay } from "./rule-words.ts";

const parsed = (text: string): Command => {
  const found = parseCommand(text);
  expect(found.kind, text).to.equal("command");
  return (found as Extract<typeof found, { kind: "command" }>).command;
};

describe("commands to the scheduling bot", () => {
  const commands: ReadonlyArray<readonly [text: string, command: Command]> = [
    ["help", { kind: "help" }],
    ["  LIST \n", { kind: "list" }],
    ["2", { kind: "choice", number: 2 }],
    ["2.", { kind: "choice", number: 2 }],
    ["cancel 12", { kind: "cancel", reference: { kind: "message", id: 12 } }],
    ["Cancel S5", { kind: "cancel", reference: { kind: "series", id: 5 } }],
    ["skip s5", { kind: "skip", id: 5 }],
    ["pause s5", { kind: "pause", id: 5 }],
    ["resume s5", { kind: "resume", id: 5 }],
    ["send s5 now", { kind: "sendNow", id: 5 }],
    [
      "move 12 to friday 5pm",
      { kind: "move", reference: { kind: "message", id: 12 }, when: "friday 5pm" },
    ],
    [
      "remind me tomorrow 9:00: Call the office",
      { kind: "remind", when: "tomorrow 9:00", text: "Call the office" },
    ],
    [
      "remind me in 5 minutes:\nfirst: line\nsecond",
      { kind: "remind", when: "in 5 minutes", text: "first: line\nsecond" },
    ],
    [
      "send tomorrow 9:00 to #general > standup: Hello: all",
      {
        kind: "send",
        when: "tomorrow 9:00",
        where: { kind: "channel", name: "general", topic: "standup" },
        text: "Hello: all",
      },
    ],
    [
      "schedule friday TO #general>a:b: Hello",
      {
        kind: "send",
        when: "friday",
        where: { kind: "channel", name: "general", topic: "a:b" },
        text: "Hello",
      },
    ],
    [
      "send friday 9am to #general: Hello",
      {
        kind: "send",
        when: "friday 9am",
        where: { kind: "channel", name: "general" },
        text: "Hello",
      },
    ],
    [
      "send friday 9am to #**design team>a: b > c**: to @**all**: hello",
      {
        kind: "send",
        when: "friday 9am",
        where: { kind: "channel", name: "design team", topic: "a: b > c" },
        text: "to @**all**: hello",
      },
    ],
    [
      "send friday 9am to @**Ann: the, 2nd|12**, @**Bob**, c@example.com, ME: Hello",
      {
        kind: "send",
        when: "friday 9am",
        where: {
          kind: "people",
          people: [
            { kind: "name", name: "Ann: the, 2nd", id: 12 },
            { kind: "name", name: "Bob" },
            { kind: "address", address: "c@example.com" },
            { kind: "me" },
          ],
        },
        text: "Hello",
      },
    ],
    [
      "every weekday at 9:00 to #general > standup: Plans?",
      {
        kind: "every",
        rule: {
          rules: ["FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"],
          time: { readings: [32_400] },
        },
        where: { kind: "channel", name: "general", topic: "standup" },
        text: "Plans?",
      },
    ],
  ];
  for (const [text, command] of commands)
    it(`reads "${text.replaceAll("\n", "\\n")}"`, () => {
      expect(parsed(text)).to.deep.equal(command);
    });

  const unclear: ReadonlyArray<readonly [text: string, lacks: Unclear]> = [
    ["", "command"],
    ["hello", "command"],
    ["list all", "command"],
    ["remind Bob tomorrow: x", "command"],
    ["123", "command"],
    ["send tomorrow: x", "to"],
    ["send to #general: x", "when"],
    ["send tomorrow to #general > a", "colon"],
    ["send tomorrow to #general > a\n: x", "colon"],
    ["send tomorrow to #general > a:x", "colon"],
    ["send tomorrow to #**general>a** x", "colon"],
    ["send tomorrow to #**general>a: x", "where"],
    ["send tomorrow to #: x", "where"],
    ["send tomorrow to @**: x", "where"],
    ["send tomorrow to @Bob: x", "where"],
    ["send tomorrow to #general > a:  \n ", "text"],
    ["remind me tomorrow", "colon"],
    ["remind me : x", "when"],
    ["remind me tomorrow:", "text"],
    ["every now and then to #general: x", "rule"],
    ["every day at 9:00", "to"],
    ["cancel", "reference"],
    ["cancel all", "reference"],
    ["cancel 12 13", "reference"],
    ["cancel -1", "reference"],
    ["skip 12", "series"],
    ["skip", "series"],
    ["pause all", "series"],
    ["send 12 now", "series"],
    ["move 12", "when"],
    ["move x to friday", "reference"],
  ];
  for (const [text, lacks] of unclear)
    it(`reports that "${text.replaceAll("\n", "\\n")}" lacks or misspells the ${lacks}`, () => {
      expect(parseCommand(text)).to.deep.equal({ kind: "unclear", lacks });
    });

  it("reads any text as a command or as unclear", async () => {
    const pieces = [
      "send ",
      "to ",
      "#",
      "**",
      ">",
      ": ",
      ",",
      "@**",
      "|",
      "1",
      "\n",
      "me",
      "every ",
      "at 9",
    ];
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join("")),
    );
    await holds(
      fc.property(text, (content) => {
        expect(parseCommand(content).kind).to.be.oneOf(["command", "unclear"]);
      }),
      10,
    );
  });

  it("reads adversarial texts of 10,000 characters before the timeout", () => {
    const parts = [
      "send ",
      " to ",
      "#",
      "@**",
      "**",
      ":",
      ", ",
      "a@",
      " ",
      "\n",
      "every 2 weeks on ",
      "monday, ",
    ];
    for (const start of ["send x to ", "every ", "remind me ", "move 1 to ", ""])
      for (const part of parts)
        for (const other of parts) {
          const text = start + (part + other).repeat(10_000 / (part + other).length);
          expect(parseCommand(text).kind).to.be.oneOf(["command", "unclear"]);
        }
  }).timeout(20_000);
});

describe("recurrence rules in words", () => {
  const rules: Readonly<Record<string, string>> = {
    day: "FREQ=DAILY",
    weekday: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
    monday: "FREQ=WEEKLY;BYDAY=MO",
    "Mon, wednesdays and FRI": "FREQ=WEEKLY;BYDAY=MO,WE,FR",
    "2 weeks on tuesday": "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU",
    "other week on tuesday": "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU",
    "week on tuesday": "FREQ=WEEKLY;BYDAY=TU",
    "month on the 1st": "FREQ=MONTHLY;BYMONTHDAY=1",
    "month on the 31st": "FREQ=MONTHLY;BYMONTHDAY=31",
    "month on the last day": "FREQ=MONTHLY;BYMONTHDAY=-1",
    "month on the first monday": "FREQ=MONTHLY;BYDAY=1MO",
    "month on the last friday": "FREQ=MONTHLY;BYDAY=-1FR",
    "month on the fourth thursday": "FREQ=MONTHLY;BYDAY=4TH",
    "year on 13/12": "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=13",
    "year on 12/12": "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=12",
    "year on december 3": "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=3",
    "year on the 29th feb": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29",
  };
  for (const [words, rrule] of Object.entries(rules))
    it(`reads "${words}"`, () => {
      expect(parseRuleWords(`${words} at 9:00`)?.rules).to.deep.equal([rrule]);
    });

  it("reads the end and the time zone of a rule", () => {
    const tail = (words: string) => {
      const found = parseRuleWords(`day at ${words}`);
      return { end: found?.end, timezone: found?.timezone, readings: found?.time.readings };
    };
    expect(tail("9am until 2026-12-31 europe/berlin")).to.deep.equal({
      end: { until: [{ year: 2026, month: 12, day: 31 }] },
      timezone: "europe/berlin",
      readings: [32_400],
    });
    expect(tail("noon 10 times UTC")).to.deep.equal({
      end: { count: 10 },
      timezone: "UTC",
      readings: [43_200],
    });
    expect(tail("9 pm until dec 31")).to.deep.equal({
      end: { until: [{ month: 12, day: 31 }] },
      timezone: undefined,
      readings: [75_600],
    });
  });

  const wrong = [
    "day",
    "day at",
    "day at 25:00",
    "day at 9:61",
    "day at 13pm",
    "day at 9:00 0 times",
  ];
  const odd = [
    "fortnight at 9",
    "0 weeks on monday at 9",
    "month on the 32nd at 9",
    "month on the fifth monday at 9",
    "month on the first day at 9",
    "someday at 9",
  ];
  const dates = [
    "year on february 30 at 9",
    "year on 3/4/2027 at 9",
    "year on 31/31 at 9",
    "day at 9:00 until then",
    "monday, at 9",
  ];
  for (const words of [...wrong, ...odd, ...dates])
    it(`rejects "${words}"`, () => {
      expect(parseRuleWords(words)).to.equal(undefined);
    });

  it("reads 3/4 as 4 March and as 3 April", () => {
    expect(parseRuleWords("year on 3/4 at 9:00")?.rules).to.deep.equal([
      "FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=4",
      "FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=3",
    ]);
    expect(parseRuleWords("day at 9:00 until 3/4/2027")?.end).to.deep.equal({
      until: [
        { year: 2027, month: 3, day: 4 },
        { year: 2027, month: 4, day: 3 },
      ],
    });
  });

  it("reads an hour as one time on a 24-hour clock", () => {
    for (const [text, second] of [
      ["5", 18_000],
      ["12", 43_200],
      ["5pm", 61_200],
    ] as const)
      expect(timesOfDay(parseTime(text)!, true), text).to.deep.equal([second]);
    expect(timesOfDay(parseTime("5")!, false)).to.deep.equal([18_000, 61_200]);
  });

  it("reads an hour without am or pm as two times", () => {
    expect(parseTime("5")).to.deep.equal({ readings: [18_000, 61_200] });
    expect(parseTime("12")).to.deep.equal({ readings: [0, 43_200] });
    expect(parseTime("17")).to.deep.equal({ readings: [61_200] });
    expect(parseTime("5:00")).to.deep.equal({ readings: [18_000] });
    expect(parseTime("12am")).to.deep.equal({ readings: [0] });
    expect(parseTime("12 PM")).to.deep.equal({ readings: [43_200] });
  });

  it("reads dates with and without a year", () => {
    expect(parseDates("31 december")).to.deep.equal([{ month: 12, day: 31 }]);
    expect(parseDates("Dec 31st, 2027")).to.deep.equal([{ year: 2027, month: 12, day: 31 }]);
    for (const text of ["2026-02-30", "february 29 2027", "31", "december", "31 31", ""])
      expect(parseDates(text), text).to.deep.equal([]);
  });
});
