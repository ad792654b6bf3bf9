import { type Fragment, isMuted } from "@carillon/model";
import type { Sql } from "@carillon/db";

import { largestAnchor, type Anchor } from "./anchor.ts";
import { firstSince } from "./first-since.ts";
import { findWords } from "./find-words.ts";
import { idsOf } from "./ids-of.ts";
import { pathOf } from "./source.ts";
import type { Wanted } from "./request.ts";
import { foundIn, sidesOf, type FoundWindow } from "./window.ts";
import {
  firstUnreadStatement,
  indexConditions,
  pickStatement,
  sidesStatement,
  type Search,
  type Side,
} from "./window-statement.ts";

/** The ids that a request comes down to; a request for messages by id has no anchor. */
export type Found = FoundWindow & { readonly anchor?: number };

/** Finds the ids of the messages that are wanted, matching and visible, in one or two statements. */
export async function findMessages(sql: Sql, search: Search, wanted: Wanted): Promise<Found> {
  if (wanted.kind === "ids") {
    const ids = await idsOf(sql, pickStatement(search, wanted.ids));
    return { ...nothing, ids: ids.toSorted((a, b) => a - b) };
  }
  const anchor = await anchorId(sql, search, wanted.anchor);
  if (anchor === undefined) return { ...nothing, anchor: largestAnchor };
  const window = { ...wanted, anchor };
  const sides = sidesOf(window);
  const ids = await idsOnSides(sql, search, sides);
  return { anchor: window.anchor, ...foundIn(window, ids) };
}

async function idsOnSides(sql: Sql, search: Search, sides: readonly Side[]): Promise<number[]> {
  if (sides.length === 0) return [];
  return search.narrow.search
    ? findWords(sql, search, search.narrow.search, sides, pathOf(search.narrow))
    : idsOf(sql, sidesStatement(search, sides));
}

const nothing = { ids: [], foundAnchor: false, foundOldest: false, foundNewest: false };

/** What is found in a channel that exists and may not be read (messages.md §2.2). */
export function foundInRefusedChannel(wanted: Wanted): Found {
  if (wanted.kind === "ids") return nothing;
  return { ...nothing, anchor: largestAnchor, foundOldest: true, foundNewest: true };
}

/** @returns undefined where a date is asked for and nothing matches */
async function anchorId(sql: Sql, search: Search, anchor: Anchor): Promise<number | undefined> {
  switch (anchor.kind) {
    case "id":
      return anchor.id;
    case "first_unread": {
      // The view of a muted channel would be empty of unread messages if the channel's muting counted.
      const muted = isMuted(search.viewer, { channels: search.narrow.channel === "none" });
      const personal = { ...search, narrow: { ...search.narrow, shared: false } };
      const besides = [(values: Parameters<typeof muted>[0]) => `NOT (${muted(values)})`];
      const [first] = await firstUnread(sql, { ...personal, besides });
      return first ?? largestAnchor;
    }
    case "date": {
      const find = (besides: readonly Fragment[], side: Side) =>
        idsOnSides(sql, { ...search, besides }, [side]);
      const newest: Side = { compare: "<", bound: largestAnchor, limit: 1 };
      return (await firstSince(sql, anchor.time, find)) ?? (await find([], newest))[0];
    }
  }
}

async function firstUnread(sql: Sql, search: Search): Promise<number[]> {
  const { narrow } = search;
  if (!narrow.search) return idsOf(sql, firstUnreadStatement(search));
  const row = [...narrow.row, () => indexConditions.unread];
  const unread = { ...search, narrow: { ...narrow, row } };
  const side: Side = { compare: ">", bound: 0, limit: 1 };
  return findWords(sql, unread, narrow.search, [side], { kind: "rows", index: "unread" });
}
