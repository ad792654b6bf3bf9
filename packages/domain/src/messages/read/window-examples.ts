import { roles } from "@carillon/contract";
import type { Drive } from "./narrow/operator.ts";
import {
  type Search,
  type WindowStatement,
  firstUnreadStatement,
  pickStatement,
  sidesStatement,
} from "./window-statement.ts";

/** What the terms of narrows offer to be driven by: none, and one of each kind. */
const drives: ReadonlyArray<Drive | undefined> = [
  undefined,
  { by: "message", id: 1 },
  { by: "recipient", id: 1 },
  { by: "sender", id: 1 },
  { by: "topic" },
  { by: "channels", where: () => "true" },
  { by: "rows", index: "unread" },
  { by: "rows", index: "direct" },
];

/** Statements of searches, of every shape that they have whatever the conditions. */
export function windowExamples(): WindowStatement[] {
  const searches = [roles.member, roles.guest].flatMap((role) =>
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
  return searches.flatMap((search) => [
    sidesStatement(search, [
      { compare: "<", bound: 1, limit: 1 },
      { compare: ">=", bound: 1, limit: 1 },
    ]),
    pickStatement(search, [1]),
    firstUnreadStatement(search),
  ]);
}
