import { type Account, audienceNow, switchSql } from "@carillon/model";
import { column, lockKeyWithCommit, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { presenceEvent } from "./presence-event.ts";
import { offlineThreshold } from "./presence.ts";

/** The row is locked: of two clients that come back at once, one tells of it. */
const before = statement({
  name: "presence-before",
  text: `SELECT extract(epoch FROM active_at)::float8 AS active, extract(epoch FROM idle_at)::float8 AS idle
    FROM user_presence WHERE user_id = $1 FOR NO KEY UPDATE`,
  /** Times in UNIX seconds with a fraction, null if there was none. */
  row: { active: column.float.orNull(), idle: column.float.orNull() },
});

const circumstances = statement({
  name: "presence-circumstances",
  text: `SELECT ${switchSql("presence_enabled")} AS enabled, extract(epoch FROM now())::float8 AS now
    FROM users u WHERE u.id = $1`,
  row: { enabled: column.bool, now: column.float },
});

const store = statement({
  name: "presence-store",
  text: `INSERT INTO user_presence (user_id, realm_id, active_at, idle_at)
    VALUES ($1, $2, CASE WHEN $3 THEN now() END, now())
    ON CONFLICT (user_id) DO UPDATE SET update_id = excluded.update_id,
      active_at = greatest(user_presence.active_at, excluded.active_at),
      idle_at = greatest(user_presence.idle_at, excluded.idle_at)`,
  row: {},
});

/**
 * Notes that the account is connected, and whether it is active; everybody is told when it comes back after having been
 * offline (clients.md §4). An account that hides its presence (`presence_enabled`) leaves no trace.
 */
export async function recordPresence(
  tx: Tx,
  actor: Account,
  status: "active" | "idle",
): Promise<void> {
  const [[facts], [row]] = await Promise.all([
    tx.rows(circumstances, [actor.id]),
    tx.lock({ name: "ownState", keys: [actor.id] }, before, [actor.id]),
  ]);
  if (!facts?.enabled) return;
  const { now } = facts;
  const isActive = status === "active";
  // Before `update_id` is taken, so that its order is that of commits: who asks for what is new misses nothing.
  lockKeyWithCommit(tx, "presence", actor.realmId);
  tx.sendWithCommit(store, [actor.id, actor.realmId, isActive]);
  const last = row?.idle ?? null;
  if (last !== null && now - last <= offlineThreshold) return;
  const active = isActive ? now : (row?.active ?? actor.dateJoined);
  emit(tx, actor.realmId, [
    presenceEvent(
      actor,
      now,
      { active: Math.floor(active), idle: Math.floor(now) },
      await audienceNow(tx, actor),
    ),
  ]);
}
