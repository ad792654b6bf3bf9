import { roles } from "@carillon/contract";
import { composed, type Composition, notNull, type Sql } from "@carillon/db";
import { allOf, type Fragment, messageReadable, type Reader, SqlValues } from "@carillon/model";

import type { CompiledNarrow } from "./narrow/compile.ts";
import type { Drive } from "./narrow/operator.ts";
import { maxAnchor } from "./request.ts";
import { chooseSource, type Path, pathOf, type Source } from "./source.ts";

/** The part of the matching messages to find, around the message ID `anchor`. */
export interface Window {
  readonly anchor: number;
  readonly numBefore: number;
  readonly numAfter: number;
  readonly includeAnchor: boolean;
}

/** The matching messages in the window, ascending, and whether it reaches the ends (messages.md §1.2). */
export interface FoundWindow {
  readonly ids: readonly number[];
  readonly foundAnchor: boolean;
  readonly foundOldest: boolean;
  readonly foundNewest: boolean;
}

/** Returns the sides to search. The anchor's own message is the first on the side after it. */
export function sidesOf(window: Window): Side[] {
  const { anchor: bound, numBefore, numAfter, includeAnchor } = window;
  const sides: Side[] = [];
  if (numBefore > 0 && bound > 0) sides.push({ compare: "<", bound, limit: numBefore });
  if (bound >= maxAnchor) return sides;
  if (includeAnchor && bound > 0) sides.push({ compare: ">=", bound, limit: numAfter + 1 });
  else if (numAfter > 0) sides.push({ compare: ">", bound, limit: numAfter });
  return sides;
}

/** Combines the messages found on both sides into the window. @param ids in any order */
export function foundIn(window: Window, ids: readonly number[]): FoundWindow {
  const { anchor, numBefore, numAfter } = window;
  const sorted = ids.toSorted((a, b) => a - b);
  const before = sorted.filter((id) => id < anchor);
  const foundAnchor = sorted[before.length] === anchor;
  // If no message has the anchor's ID, the side after it found one more than requested.
  const after = sorted.slice(before.length + (foundAnchor ? 1 : 0)).slice(0, numAfter);
  return {
    ids: [...before, ...(foundAnchor ? [anchor] : []), ...after],
    foundAnchor,
    foundOldest: anchor === 0 || before.length < numBefore,
    foundNewest: anchor >= maxAnchor || after.length < numAfter,
  };
}

/** One side of a window: the `limit` nearest ids beyond `bound`. */
export interface Side {
  readonly compare: "<" | ">" | ">=";
  readonly bound: number;
  /** Exclusive upper bound of the ids. */
  readonly until?: number;
  readonly limit: number;
}

export type WindowStatement = Composition;

/** What to search: a compiled narrow for one viewer, and additional conditions on messages. */
export interface Search {
  readonly viewer: Reader;
  readonly narrow: CompiledNarrow;
  readonly extra?: readonly Fragment[];
}

/**
 * Finds the ids on all sides, unordered: rows of `id`. PostgreSQL plans the statement for its values on each call, which
 * takes 0.05 ms, because a generic plan would search a quiet conversation by scanning all messages.
 * @param sides at least one
 */
export function sidesStatement(search: Search, sides: readonly Side[]): WindowStatement {
  const values = new SqlValues();
  const source = chooseSource(search.narrow);
  const parts = sides.map((side) => `(${sideText(search, source, side, values)})`);
  return { text: parts.join("\nUNION ALL\n"), values: values.list };
}

/** Finds which of the messages `ids` match: rows of `id`. */
export function pickStatement(search: Search, ids: readonly number[]): WindowStatement {
  const values = new SqlValues();
  const wanted = (v: SqlValues) => `m.id = ANY(${v.add(ids, "bigint[]")})`;
  const text = fromMessages(search, [wanted], "", values);
  return { text, values: values.list };
}

/** Finds the first unread message: zero or one row of `id`. */
export function firstUnreadStatement(search: Search): WindowStatement {
  const values = new SqlValues();
  const source: Source = { kind: "rows", index: "unread" };
  const side: Side = { compare: ">", bound: 0, limit: 1 };
  return { text: sideText(search, source, side, values), values: values.list };
}

/*
 * The planner must not choose the join order: with a LIMIT it likes to scan all messages backwards until enough have
 * matched. A lateral subquery with OFFSET 0 is not flattened and stays one primary-key lookup for each row of the
 * driving index, so that this index alone decides how much is read.
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

/**
 * Makes the condition that an id lies on the side of the window.
 * @internal
 * @param column of ids
 */
export function beyond({ compare, bound, until }: Side, column = "m.id"): Fragment {
  return (values) => {
    const from = `${column} ${compare} ${values.add(bound, "bigint")}`;
    return until === undefined ? from : `${from} AND ${column} < ${values.add(until, "bigint")}`;
  };
}

/** Writes the ORDER BY and LIMIT of a side: the ids nearest to its bound come first. @internal */
export function nearest(column: string, side: Side, values: SqlValues): string {
  return `${nearestFirst(column, side)} LIMIT ${values.add(side.limit, "int")}`;
}

function nearestFirst(column: string, { compare }: Side): string {
  return `ORDER BY ${column} ${compare === "<" ? "DESC" : "ASC"}`;
}

/** Returns the conditions of a search on a message `m`. @internal */
export function conditions({ viewer, narrow, extra = [] }: Search): readonly Fragment[] {
  const { search } = narrow;
  const words = search ? [search.hasWords, search.hasPhrases] : [];
  return [...words, ...narrow.message, ...extra, ...limitsOf(viewer, narrow)];
}

/** Returns the conditions that restrict a search to messages that the viewer may read. */
function limitsOf(viewer: Reader, narrow: CompiledNarrow): readonly Fragment[] {
  // The terms that make shared history visible ensure that it is readable. Otherwise, the viewer's copies restrict the
  // search to the organization.
  if (narrow.shared) return [(values) => `m.realm_id = ${values.add(viewer.realmId, "int")}`];
  return narrow.channel === "readable" ? [] : [messageReadable(viewer)];
}

/** Conditions of the partial indexes of `user_messages um`, as the planner compares them. @internal */
export const indexConditions = {
  all: "true",
  unread: "um.flags & 1 = 0",
  mentioned: "um.flags & 56 <> 0",
  alerted: "um.flags & 64 <> 0",
  starred: "um.flags & 2 <> 0",
  direct: "um.flags & 256 <> 0",
};

/** Scans the viewer's copies, and looks each message up by its key. */
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

/** Scans messages, and looks the viewer's copy of each up by its key. */
function fromMessages(
  search: Search,
  bounds: readonly Fragment[],
  order: string,
  values: SqlValues,
): string {
  return `SELECT m.id FROM messages m ${rowOfEach(search, values)}
    WHERE ${allOf([...bounds, ...conditions(search)], values)} ${order}`;
}

/** Joins the viewer's copy of each message `m`; nothing for shared history, which needs no copy. */
function rowOfEach({ viewer, narrow }: Search, values: SqlValues): string {
  if (narrow.shared) return "";
  return `CROSS JOIN LATERAL (
      SELECT FROM user_messages um WHERE um.user_id = ${values.add(viewer.id, "int")} AND um.message_id = m.id
        AND ${allOf(narrow.row, values)} OFFSET 0
    ) um`;
}

/**
 * Scans the organization's channels: first selects the channels with the nearest messages, at most `limit` of them (no
 * other channel can contribute), then the nearest messages of each. A topic such as "general chat" exists in many
 * channels: if the few nearest messages of each channel are enough, nothing beyond the last of them is read.
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
      : (v) => `m.id <= coalesce(${last}, ${v.add(maxAnchor, "bigint")})`;
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

/** Examples of what can drive a search: no term, and one {@link Drive} of each kind. */
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

/** Returns example statements of every shape that searches can have, whatever their conditions. */
function windowExamples(): WindowStatement[] {
  return searches().flatMap((search) => [
    sidesStatement(search, sides),
    pickStatement(search, [1]),
    firstUnreadStatement(search),
    walkStatement(search, pathOf(search.narrow), sides, () => 1),
    hitsStatement(search, () => "true", sides, 1),
    hitsStatement(search, () => "true", sides),
  ]);
}

/** Returns example statements of every shape of {@link horizonStatement}. */
export function horizonExamples(compose: typeof horizonStatement): WindowStatement[] {
  return searches().map((search) => compose(search, pathOf(search.narrow), sides, () => 1));
}

/**
 * Scans the path from the bound of each side, at most `steps(side)` messages, and finds those that match: rows of `id`,
 * the nearest of each side.
 */
export function walkStatement(
  search: Search,
  path: Path,
  sides: readonly Side[],
  steps: (side: Side) => number,
): WindowStatement {
  const values = new SqlValues();
  const parts = sides.map((side) => {
    const from = `${alongPath(search, path, side, values)} LIMIT ${values.add(steps(side), "int")}`;
    return `(${matching(search, from, side, values)})`;
  });
  return { text: parts.join("\nUNION ALL\n"), values: values.list };
}

/** Finds on which sides the path continues after that many steps: rows of `side`, its index in the list. */
export function horizonStatement(
  search: Search,
  path: Path,
  sides: readonly Side[],
  steps: (side: Side) => number,
): WindowStatement {
  const values = new SqlValues();
  const parts = sides.map(
    (side, i) => `(SELECT ${i} AS side FROM (
      ${alongPath(search, path, side, values)} OFFSET ${values.add(steps(side), "int")} LIMIT 1) s)`,
  );
  return { text: parts.join("\nUNION ALL\n"), values: values.list };
}

/**
 * Reads the messages that contain the words from the search index, and finds those that match: rows of `id`, the
 * nearest of each side.
 * @param most if there are more hits, the statement finds nothing and returns an `id` of 0
 */
export function hitsStatement(
  search: Search,
  words: Fragment,
  sides: readonly Side[],
  most?: number,
): WindowStatement {
  const values = new SqlValues();
  const { narrow, viewer } = search;
  const inRealm: Fragment = (v) => `m.realm_id = ${v.add(viewer.realmId, "int")}`;
  // With a LIMIT, the other conditions would not reduce the number of heap rows that are read.
  const asked = most === undefined ? [words, inRealm, ...narrow.message] : [words, inRealm];
  const limit = most === undefined ? "" : `LIMIT ${values.add(most + 1, "int")}`;
  const few =
    most === undefined ? "true" : `(SELECT count(*) FROM hit) <= ${values.add(most, "int")}`;
  const parts = sides.map((side) => {
    const from = `SELECT m.id FROM hit m WHERE ${few} AND ${beyond(side)(values)} ${nearestFirst("m.id", side)}`;
    return `(${matching(search, from, side, values)})`;
  });
  if (most !== undefined)
    parts.push(`(SELECT 0::bigint FROM hit OFFSET ${values.add(most, "int")} LIMIT 1)`);
  return {
    text: `WITH hit AS MATERIALIZED (SELECT m.id FROM messages m WHERE ${allOf(asked, values)} ${limit})
      ${parts.join("\nUNION ALL\n")}`,
    values: values.list,
  };
}

/** Selects the ids in `from` that match, the nearest of the side; `from` is already ordered. */
function matching(search: Search, from: string, side: Side, values: SqlValues): string {
  return `SELECT m.id FROM (${from}) step CROSS JOIN LATERAL (
      SELECT m.id FROM messages m WHERE m.id = step.id AND ${allOf(conditions(search), values)} OFFSET 0
    ) m ${rowOfEach(search, values)}
    ${nearest("step.id", side, values)}`;
}

/** Selects the ids along the path, the nearest of the side first. */
function alongPath({ viewer, narrow }: Search, path: Path, side: Side, values: SqlValues): string {
  if (path.kind !== "rows") {
    const asked = path.kind === "messages" ? narrow.message : [];
    return `SELECT m.id FROM messages m WHERE ${allOf([beyond(side), ...asked], values)}
      ${nearestFirst("m.id", side)}`;
  }
  return `SELECT um.message_id AS id FROM user_messages um
    WHERE um.user_id = ${values.add(viewer.id, "int")} AND ${indexConditions[path.index]}
      AND ${allOf(narrow.row, values)} AND ${beyond(side, "um.message_id")(values)}
    ${nearestFirst("um.message_id", side)}`;
}

/** Runs a statement and returns the ids found. */
export async function idsOf(sql: Sql, statement: WindowStatement): Promise<number[]> {
  return (await found(sql, statement)).map(({ id }) => id);
}

const found = composed({
  name: "messages-found",
  overrides: { id: notNull },
  compose: (statement: WindowStatement) => statement,
  examples: windowExamples,
});
