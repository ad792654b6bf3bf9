import { roles } from "@carillon/contract";
import type { Drive } from "./narrow/operator.ts";
import { pathOf } from "./source.ts";
import {
  type Search,
  type Side,
  type WindowStatement,
  firstUnreadStatement,
  pickStatement,
  sidesStatement,
} from "./window-statement.ts";
import { type horizonStatement, hitsStatement, walkStatement } from "./word-statement.ts";

/** What the terms of narrows offer to be driven by: none, and one of each kind. */
const drives: ReadonlyArray<Drive | undefined> = [
  undefined,
  { by: "message", id: 1 },
  { by: "recipient", id: 1 },
  { by: "sender", id: 1 },
  { by: "mention", id: 1 },
  { by: "topic" },
  { by: "channels", where: () => "true" },
  { by: "rows", index: "unread" },
  { by: "rows", index: "direct" },
  { by: "rows", index: "mentioned" },
  { by: "rows", index: "alerted" },
  { by: "rows", index: "starred" },
];

const sides: readonly Side[] = [
  { compare: "<", bound: 1, limit: 1 },
  { compare: ">=", bound: 1, limit: 1 },
];

function searches(): Search[] {
  return [roles.member, roles.guest].flatMap((role) =>
    drives.flatMap((drive) =>
      [true, false].map((shared): Search => {
        const narrow = { message: [], row: [], drives: drive ? [drive] : [], shared };
        return {
          viewer: { id: 1, realmId: 1, role, isActive: true },
          narrow: { ...narrow, channel: shared ? "readable" : "none" },
        };
      }),
    ),
  );
}

/** Statements of searches, of every shape that they have whatever the conditions. */
export function windowExamples(): WindowStatement[] {
  return searches().flatMap((search) => [
    sidesStatement(search, sides),
    pickStatement(search, [1]),
    firstUnreadStatement(search),
    walkStatement(search, pathOf(search.narrow), sides, () => 1),
    hitsStatement(search, () => "true", sides, 1),
    hitsStatement(search, () => "true", sides),
  ]);
}

/** The statement that says on which sides there is more, of every shape. */
export function horizonExamples(compose: typeof horizonStatement): WindowStatement[] {
  return searches().map((search) => compose(search, pathOf(search.narrow), sides, () => 1));
}
