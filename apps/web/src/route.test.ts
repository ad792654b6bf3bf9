import { expect } from "chai";
import { hashOf, parseRoute, type Route } from "./route.ts";

const messages = (
  terms: Extract<Route, { page: "messages" }>["terms"],
  near: number | null = null,
) => ({ page: "messages", terms, near }) as const;

describe("addresses of the browser client", () => {
  const read: ReadonlyArray<readonly [string, Route]> = [
    ["", messages([])],
    ["#/feed", messages([])],
    ["#narrow/channel/5", messages([{ operator: "channel", operand: 5 }])],
    [
      "#narrow/stream/5-general-talk/topic/v1.2E2.20.E2.9C.94/near/77",
      messages(
        [
          { operator: "channel", operand: 5 },
          { operator: "topic", operand: "v1.2 ✔" },
        ],
        77,
      ),
    ],
    [
      "#narrow/channel/5/topic/",
      messages([
        { operator: "channel", operand: 5 },
        { operator: "topic", operand: "" },
      ]),
    ],
    ["#/narrow/dm/3,14-group", messages([{ operator: "dm", operand: [3, 14] }])],
    ["#narrow/near/9", messages([], 9)],
    ["#narrow/-is/starred", messages([{ operator: "is", operand: "starred", negated: true }])],
    ["#schedule", { page: "schedule" }],
    ["#streams/all", { page: "channels" }],
    ["#organization/users", { page: "organization", section: "users" }],
    ["#narrow/channel/general", { page: "unknown" }],
    ["#narrow/topic/.FF", { page: "unknown" }],
    ["#nowhere", { page: "unknown" }],
  ];
  for (const [hash, expected] of read)
    it(`reads ${hash || "an empty address"}`, () => {
      expect(parseRoute(hash)).to.deep.equal(expected);
    });

  it("reads what it writes", () => {
    for (const text of ["a/b.c%20", "(x)!*'", "שלום 🎉", "-5", "."]) {
      const route = messages([
        { operator: "channel", operand: 1 },
        { operator: "topic", operand: text },
      ]);
      expect(parseRoute(hashOf(route)), text).to.deep.equal(route);
    }
  });
});
