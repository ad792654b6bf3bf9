import { isMuted } from "@carillon/model";
import { errors } from "@carillon/contract";
import { column, composed, type Sql } from "@carillon/db";

import { largestAnchor, type Anchor } from "./anchor.ts";
import type { Wanted } from "./request.ts";
import { foundIn, sidesOf, type FoundWindow } from "./window.ts";
import {
  firstUnreadStatement,
  pickStatement,
  sidesStatement,
  type Search,
  type WindowStatement,
} from "./window-statement.ts";
import { windowExamples } from "./window-examples.ts";

/** The ids that a request comes down to; a request for messages by id has no anchor. */
export type Found = FoundWindow & { readonly anchor?: number };

/** Finds the ids of the messages that are wanted, matching and visible, in one or two statements. */
export async function findMessages(sql: Sql, search: Search, wanted: Wanted): Promise<Found> {
  if (wanted.kind === "ids") {
    const ids = await idsOf(sql, pickStatement(search, wanted.ids));
    return { ...nothing, ids: ids.toSorted((a, b) => a - b) };
  }
  const window = { ...wanted, anchor: await anchorId(sql, search, wanted.anchor) };
  const sides = sidesOf(window);
  const ids = sides.length > 0 ? await idsOf(sql, sidesStatement(search, sides)) : [];
  return { anchor: window.anchor, ...foundIn(window, ids) };
}

const nothing = { ids: [], foundAnchor: false, foundOldest: false, foundNewest: false };

/** What is found in a channel that exists and may not be read (messages.md §2.2). */
export function foundInRefusedChannel(wanted: Wanted): Found {
  if (wanted.kind === "ids") return nothing;
  return { ...nothing, anchor: largestAnchor, foundOldest: true, foundNewest: true };
}

async function anchorId(sql: Sql, search: Search, anchor: Anchor): Promise<number> {
  switch (anchor.kind) {
    case "id":
      return anchor.id;
    case "first_unread": {
      // The view of a muted channel would be empty of unread messages if the channel's muting counted.
      const muted = isMuted(search.viewer, { channels: search.narrow.channel === "none" });
      const personal = { ...search, narrow: { ...search.narrow, shared: false } };
      const besides = [(values: Parameters<typeof muted>[0]) => `NOT (${muted(values)})`];
      const [first] = await idsOf(sql, firstUnreadStatement({ ...personal, besides }));
      return first ?? largestAnchor;
    }
    case "date":
      throw errors.badRequest(
        "anchor=date is not supported by this server yet: use a message ID, newest, oldest or first_unread",
      );
  }
}

const found = composed({
  name: "messages-found",
  row: { id: column.bigint },
  compose: (statement: WindowStatement) => statement,
  examples: windowExamples,
});

async function idsOf(sql: Sql, statement: WindowStatement): Promise<number[]> {
  return (await found(sql, statement)).map(({ id }) => id);
}
