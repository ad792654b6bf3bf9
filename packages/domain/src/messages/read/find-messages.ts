import { type Sql, statement } from "@carillon/db";
import { type Fragment, isMuted, messageIdsAt, messageIdSlackMs } from "@carillon/model";

import { findWords } from "./find-words.ts";
import { type Anchor, maxAnchor, type RequestedMessages } from "./request.ts";
import { pathOf } from "./source.ts";
import {
  firstUnreadStatement,
  foundIn,
  type FoundWindow,
  idsOf,
  indexConditions,
  pickStatement,
  type Search,
  type Side,
  sidesOf,
  sidesStatement,
} from "./window.ts";

/** The ids found for a request; a request for messages by id has no anchor. */
export type Found = FoundWindow & { readonly anchor?: number };

/** Finds the ids of the matching messages that the viewer can see, in one or two statements. */
export async function findMessages(
  sql: Sql,
  search: Search,
  wanted: RequestedMessages,
): Promise<Found> {
  if (wanted.kind === "ids") {
    const ids = await idsOf(sql, pickStatement(search, wanted.ids));
    return { ...nothing, ids: ids.toSorted((a, b) => a - b) };
  }
  const anchor = await anchorId(sql, search, wanted.anchor);
  if (anchor === undefined) return { ...nothing, anchor: maxAnchor };
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

/** The result for a channel that exists but may not be read (messages.md §2.2). */
export function foundInRefusedChannel(wanted: RequestedMessages): Found {
  if (wanted.kind === "ids") return nothing;
  return { ...nothing, anchor: maxAnchor, foundOldest: true, foundNewest: true };
}

/**
 * Resolves an anchor to a message id.
 * @returns undefined if the anchor is a date and no message matches
 */
async function anchorId(sql: Sql, search: Search, anchor: Anchor): Promise<number | undefined> {
  switch (anchor.kind) {
    case "id":
      return anchor.id;
    case "first_unread": {
      // If the narrow names a channel, ignore whether the channel is muted: otherwise a muted channel would never have a
      // first unread message.
      const muted = isMuted(search.viewer, { channels: search.narrow.channel === "none" });
      const personal = { ...search, narrow: { ...search.narrow, shared: false } };
      const extra = [(values: Parameters<typeof muted>[0]) => `NOT (${muted(values)})`];
      const [first] = await firstUnread(sql, { ...personal, extra });
      return first ?? maxAnchor;
    }
    case "date": {
      const find = (extra: readonly Fragment[], side: Side) =>
        idsOnSides(sql, { ...search, extra }, [side]);
      const newest: Side = { compare: "<", bound: maxAnchor, limit: 1 };
      return (
        (await firstSince(sql, search.viewer.realmId, anchor.time, find)) ??
        (await find([], newest))[0]
      );
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

/** Maximum messages to examine whose ids are not in the order of time. */
const maxOutOfOrder = 5_000;

const first = statement({
  name: "first-sent-message",
  text: `SELECT id, (extract(epoch FROM sent_at) * 1000000)::bigint AS time FROM messages
    WHERE id = ANY($1::bigint[]) ORDER BY sent_at, id LIMIT 1`,
});

/** Finds matching messages on a side that meet additional conditions. */
type Find = (extra: readonly Fragment[], side: Side) => Promise<readonly number[]>;

/**
 * Finds the first matching message sent at or after a time, ordered by time and then by id (messages.md §1.2).
 * @param time microseconds since the UNIX epoch
 */
async function firstSince(
  sql: Sql,
  realmId: number,
  time: bigint,
  find: Find,
): Promise<number | undefined> {
  // Clamp to times that messages can have and that PostgreSQL can represent.
  const since = Number(time < 0n ? 0n : time > latest ? latest : time);
  const slack = messageIdSlackMs * 1_000;
  const notBefore = sentCompared(">=", since);
  const [start] = await messageIdsAt(sql, [realmId], since - slack);
  const lowest: Side = { compare: ">=", bound: start?.from ?? 0, limit: 1 };
  const [id] = await find([notBefore], lowest);
  if (id === undefined) return undefined;
  const found = await sql.rows(first, [[id]]);
  if (!found[0]) return id;
  const [end] = await messageIdsAt(sql, [realmId], found[0].time + slack);
  const until = end?.until ?? maxAnchor;
  if (until <= id + 1) return id;
  const earlier = await find([notBefore, sentCompared("<", found[0].time)], {
    compare: ">",
    bound: id,
    until,
    limit: maxOutOfOrder,
  });
  if (earlier.length === 0) return id;
  const [earliest] = await sql.rows(first, [earlier]);
  return earliest?.id ?? id;
}

/** The year 2255: microseconds are exact until then. */
const latest = 9_000_000_000_000_000n;

function sentCompared(compare: "<" | ">=", time: number): Fragment {
  return (values) =>
    `m.sent_at ${compare} 'epoch'::timestamptz + ${values.add(time, "bigint")} * interval '1 us'`;
}
