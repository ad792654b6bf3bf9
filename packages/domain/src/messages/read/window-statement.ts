import { type Fragment, SqlValues, type Reader, allOf, messageReadable } from "@carillon/model";
import type { Composition } from "@carillon/db";
import { largestAnchor } from "./anchor.ts";
import type { CompiledNarrow } from "./narrow/compile.ts";
import { chooseSource, type Source } from "./source.ts";

/** One side of a window: the `limit` nearest ids beyond `bound`. */
export interface Side {
  readonly compare: "<" | ">" | ">=";
  readonly bound: number;
  /** No ids from here on. */
  readonly until?: number;
  readonly limit: number;
}

export type WindowStatement = Composition;

/** What is searched: a compiled narrow as one viewer sees it, and conditions on messages besides. */
export interface Search {
  readonly viewer: Reader;
  readonly narrow: CompiledNarrow;
  readonly besides?: readonly Fragment[];
}

/**
 * Finds the ids on all sides, in no order: rows of `id`. At least one side. Planned for its values each time, which costs a
 * twentieth of a millisecond: a plan for any conversation would look for a quiet one among all messages.
 */
export function sidesStatement(search: Search, sides: readonly Side[]): WindowStatement {
  const values = new SqlValues();
  const source = chooseSource(search.narrow);
  const parts = sides.map((side) => `(${sideText(search, source, side, values)})`);
  return { text: parts.join("\nUNION ALL\n"), values: values.list };
}

/** Finds which of the messages `ids` are there: rows of `id`. */
export function pickStatement(search: Search, ids: readonly number[]): WindowStatement {
  const values = new SqlValues();
  const wanted = (v: SqlValues) => `m.id = ANY(${v.add(ids, "bigint[]")})`;
  const text = fromMessages(search, [wanted], "", values);
  return { text, values: values.list };
}

/** Finds the first unread message: rows of `id`, one or none. */
export function firstUnreadStatement(search: Search): WindowStatement {
  const values = new SqlValues();
  const source: Source = { kind: "rows", index: "unread" };
  const side: Side = { compare: ">", bound: 0, limit: 1 };
  return { text: sideText(search, source, side, values), values: values.list };
}

/*
 * The planner must not be left to choose the order of joins: with a LIMIT it likes to walk all messages backwards
 * until enough have matched. A lateral subquery with OFFSET 0 stays what it is, one probe of a primary key for each
 * row of what drives the statement, so that the driving index alone decides how much is read.
 */

function sideText(search: Search, source: Source, side: Side, values: SqlValues): string {
  switch (source.kind) {
    case "rows":
      return fromRows(search, source.index, side, values);
    case "messages":
      return fromMessages(search, [beyond(side)], nearest("m.id", side, values), values);
    case "channels":
      return fromChannels(search, source.where, side, values);
  }
}

/** @internal @param column of ids */
export function beyond({ compare, bound, until }: Side, column = "m.id"): Fragment {
  return (values) => {
    const from = `${column} ${compare} ${values.add(bound, "bigint")}`;
    return until === undefined ? from : `${from} AND ${column} < ${values.add(until, "bigint")}`;
  };
}

/** @internal */
export function nearest(column: string, side: Side, values: SqlValues): string {
  return `${nearestFirst(column, side)} LIMIT ${values.add(side.limit, "int")}`;
}

/** @internal */
export function nearestFirst(column: string, { compare }: Side): string {
  return `ORDER BY ${column} ${compare === "<" ? "DESC" : "ASC"}`;
}

/** @internal what must hold of a message `m` */
export function conditions({ viewer, narrow, besides = [] }: Search): readonly Fragment[] {
  const { search } = narrow;
  const words = search ? [search.hasWords, search.hasPhrases] : [];
  return [...words, ...narrow.message, ...besides, ...limitsOf(viewer, narrow)];
}

/** What keeps a search within what the viewer may read. */
function limitsOf(viewer: Reader, narrow: CompiledNarrow): readonly Fragment[] {
  // Shared history is readable by what opens it; only the viewer's rows keep other searches in the organization.
  if (narrow.shared) return [(values) => `m.realm_id = ${values.add(viewer.realmId, "int")}`];
  return narrow.channel === "readable" ? [] : [messageReadable(viewer)];
}

/** @internal */
export const indexConditions = {
  all: "true",
  unread: "um.flags & 1 = 0",
  mentioned: "um.flags & 56 <> 0",
  alerted: "um.flags & 64 <> 0",
  starred: "um.flags & 2 <> 0",
  direct: "um.flags & 256 <> 0",
};

/** Driven by the viewer's rows, each message looked up by its key. */
function fromRows(
  search: Search,
  index: keyof typeof indexConditions,
  side: Side,
  values: SqlValues,
): string {
  return `SELECT um.message_id AS id FROM user_messages um CROSS JOIN LATERAL (
      SELECT FROM messages m WHERE m.id = um.message_id AND ${allOf(conditions(search), values)} OFFSET 0
    ) m
    WHERE um.user_id = ${values.add(search.viewer.id, "int")} AND ${indexConditions[index]}
      AND ${allOf(search.narrow.row, values)}
      AND ${beyond(side, "um.message_id")(values)}
    ${nearest("um.message_id", side, values)}`;
}

/** Driven by messages, each row of the viewer looked up by its key. */
function fromMessages(
  search: Search,
  bounds: readonly Fragment[],
  order: string,
  values: SqlValues,
): string {
  return `SELECT m.id FROM messages m ${rowOfEach(search, values)}
    WHERE ${allOf([...bounds, ...conditions(search)], values)} ${order}`;
}

/** @internal The viewer's row of each message `m`; nothing in shared history, which asks for none. */
export function rowOfEach({ viewer, narrow }: Search, values: SqlValues): string {
  if (narrow.shared) return "";
  return `CROSS JOIN LATERAL (
      SELECT FROM user_messages um WHERE um.user_id = ${values.add(viewer.id, "int")} AND um.message_id = m.id
        AND ${allOf(narrow.row, values)} OFFSET 0
    ) um`;
}

/**
 * Driven by the channels of the organization: those with the nearest messages first, as many as there may be
 * messages (no other channel can have one of them), then the nearest messages of each. A name such as "general chat" is a
 * topic of many channels: where a few messages of each are as many as are wanted, nothing is read beyond the last of those.
 */
function fromChannels(search: Search, where: Fragment, side: Side, values: SqlValues): string {
  const limit = values.add(side.limit, "int");
  const nearestOf = (most: number, bounds: readonly Fragment[]) =>
    fromMessages(
      search,
      [() => "m.recipient_id = f.recipient_id", beyond(side), ...bounds],
      nearest("m.id", { ...side, limit: most }, values),
      values,
    );
  const order = nearestFirst("id", side);
  const notBeyond = (found: string): Fragment => {
    const last = `(SELECT id FROM ${found} ${order} OFFSET ${limit} - 1 LIMIT 1)`;
    return side.compare === "<"
      ? () => `m.id >= coalesce(${last}, 0)`
      : (v) => `m.id <= coalesce(${last}, ${v.add(largestAnchor, "bigint")})`;
  };
  return `WITH first AS MATERIALIZED (
      SELECT f.recipient_id, newest.id FROM (
        SELECT r.id AS recipient_id FROM channels c JOIN recipients r ON r.channel_id = c.id
        WHERE c.realm_id = ${values.add(search.viewer.realmId, "int")} AND ${where(values)} OFFSET 0
      ) f CROSS JOIN LATERAL (${nearestOf(1, [])}) newest
      ${nearestFirst("newest.id", side)} LIMIT ${limit}
    ), few AS MATERIALIZED (
      SELECT message.id FROM first f CROSS JOIN LATERAL (${nearestOf(10, [notBeyond("first")])}) message
    )
    SELECT message.id FROM first f CROSS JOIN LATERAL (${nearestOf(side.limit, [notBeyond("few")])}) message
    ${nearestFirst("message.id", side)} LIMIT ${limit}`;
}
