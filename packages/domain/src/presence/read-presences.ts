import { setImmediate } from "node:timers/promises";

import { type Account, loadSight } from "@carillon/model";
import { column, statement, type Sql } from "@carillon/db";

import {
  legacyPresence,
  modernPresence,
  presenceColumns,
  presenceIsShown,
  presenceRow,
} from "./presence.ts";

export interface ReadPresencesOptions {
  /** By user ID, in the modern form; else by e-mail address, in the legacy one. */
  readonly modern: boolean;
  /** Only what has changed since this update; everything unless given. */
  readonly since?: number | undefined;
  /** Days: who was last connected longer ago is left out. */
  readonly historyLimit: number;
}

/** Days that the oldest presence may be old, unless a client says otherwise. */
export const usualHistoryLimit = 14;

/** A hundred years, in days: all there is, and still a date. */
const longestHistory = 36_525;

const shown = statement({
  name: "presences",
  text: `SELECT u.id, u.email, p.update_id AS "updateId", ${presenceColumns}
    FROM user_presence p JOIN users u ON u.id = p.user_id
    WHERE p.realm_id = $1 AND p.update_id > $2 AND p.idle_at >= now() - make_interval(days => $3::int)
      AND ${presenceIsShown}`,
  row: { id: column.int, email: column.text, updateId: column.bigint, ...presenceRow },
});

const clock = statement({
  name: "presence-clock",
  text: "SELECT extract(epoch FROM now())::float8 AS now",
  row: { now: column.float },
});

/** Presences that are shown in one go, a few milliseconds' work: others get their turn in between. */
const slice = 2_000;

/**
 * When the organization's people were last there, spelled as on the wire (clients.md §4). Left out are those who hide
 * it (`presence_enabled`), deactivated accounts, bots, who have none, and whom the viewer does not see.
 */
export async function readPresences(
  sql: Sql,
  viewer: Pick<Account, "id" | "realmId" | "role">,
  { modern, since = -1, historyLimit }: ReadPresencesOptions,
) {
  const days = Math.min(Math.max(historyLimit, 0), longestHistory);
  const [rows, sight, [time]] = await Promise.all([
    sql.rows(shown, [viewer.realmId, since, days]),
    loadSight(sql, viewer),
    sql.rows(clock),
  ]);
  const presences: Record<string, ReturnType<typeof modernPresence | typeof legacyPresence>> = {};
  let newest = since;
  for (const [i, row] of rows.entries()) {
    newest = Math.max(newest, row.updateId);
    if (i % slice === slice - 1) await setImmediate();
    if (!sight.sees({ id: row.id, isBot: false })) continue;
    if (modern) presences[row.id] = modernPresence(row);
    else presences[row.email] = legacyPresence(row);
  }
  return { presences, presence_last_update_id: newest, server_timestamp: time?.now ?? 0 };
}
