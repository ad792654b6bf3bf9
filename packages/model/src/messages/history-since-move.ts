import { type EditHistoryEntry, roles } from "@carillon/contract";
import { column, composed, type Sql } from "@carillon/db";

import { channelReadable, hasSharedHistorySql } from "../channels/access-sql.ts";
import { SqlValues } from "../sql/sql-values.ts";
import type { Reader } from "./reader.ts";

type History = readonly EditHistoryEntry[] | null;

const readableOrigins = composed({
  name: "origins-of-moves-readable",
  row: { id: column.int, shared: column.bool },
  compose: (viewer: Reader, channelIds: readonly number[]) => {
    const values = new SqlValues();
    const text = `SELECT c.id, ${hasSharedHistorySql} AS shared FROM channels c
      WHERE c.realm_id = ${values.add(viewer.realmId, "int")} AND c.id = ANY(${values.add(channelIds, "int[]")})
        AND ${channelReadable(viewer)(values)}`;
    return { text, values: values.list, recurs: true };
  },
  examples: (compose) =>
    [roles.member, roles.guest].map((role) =>
      compose({ id: 1, realmId: 1, role, isActive: true }, [1]),
    ),
});

/** A message's history as it is stored, and whether the viewer has received the message. */
export interface StoredHistory {
  readonly editHistory: History;
  readonly received: boolean;
}

/**
 * Cuts histories off before the last move out of a channel that the viewer may not read now (messages.md §6.3): older
 * topics, texts and the channel itself are for those who may read it. Where the channel has protected history, these have
 * received the message besides.
 * @returns what shows a history: the newest entry first; null where nothing is left
 */
export async function loadHistoryShown(
  sql: Sql,
  viewer: Reader,
  histories: Iterable<History>,
): Promise<(stored: StoredHistory) => History> {
  const origins = new Set<number>();
  for (const history of histories)
    for (const { prev_stream } of history ?? [])
      if (prev_stream !== undefined) origins.add(prev_stream);
  if (origins.size === 0) return ({ editHistory }) => editHistory;
  const rows = await readableOrigins(sql, viewer, [...origins]);
  const shared = new Map(rows.map((row) => [row.id, row.shared]));
  return ({ editHistory, received }) => {
    const hidden = (editHistory ?? []).findIndex(
      ({ prev_stream }) =>
        prev_stream !== undefined &&
        !(shared.get(prev_stream) ?? false) &&
        !(shared.has(prev_stream) && received),
    );
    if (hidden < 0) return editHistory;
    return hidden === 0 ? null : (editHistory ?? []).slice(0, hidden);
  };
}
