import { allOf, SqlValues, type Fragment } from "@carillon/model";

import type { Path } from "./source.ts";
import {
  beyond,
  conditions,
  indexConditions,
  nearest,
  nearestFirst,
  rowOfEach,
  type Search,
  type Side,
  type WindowStatement,
} from "./window-statement.ts";

/**
 * Goes along the path from the bound of each side, `steps(side)` messages at most, and finds those that match: rows of
 * `id`, the nearest of each side.
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

/** Finds on which of the sides the path goes on after so many steps: rows of `side`, its place in the list. */
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
 * Takes the messages that have the words from their index, and finds those that match: rows of `id`, the nearest of each
 * side.
 * @param most with more of them than so many nothing is found, but an `id` of 0 says so
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
  // With a limit the heap is read for as many as that, whatever else is asked of them.
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

/** Those of the ids in `from` that match, the nearest of the side; `from` has its order. */
function matching(search: Search, from: string, side: Side, values: SqlValues): string {
  return `SELECT m.id FROM (${from}) step CROSS JOIN LATERAL (
      SELECT m.id FROM messages m WHERE m.id = step.id AND ${allOf(conditions(search), values)} OFFSET 0
    ) m ${rowOfEach(search, values)}
    ${nearest("step.id", side, values)}`;
}

/** The ids along the path, the nearest of the side first. */
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
