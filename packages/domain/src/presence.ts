import { setImmediate } from "node:timers/promises";

import { type Audience, errors, type NewEvent, presenceChanged } from "@carillon/contract";
import { column, lockKeyWithCommit, type RowOf, type Sql, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  audienceNow,
  findAccount,
  loadUserVisibility,
  switchSql,
} from "@carillon/model";

/** The rows of {@link presenceColumns}. */
const presenceRow = {
  /** Last active; when the account was made where it never was. */
  active: column.bigint,
  /** Last connected, active or not. */
  idle: column.bigint,
};

/** When somebody was last there. UNIX seconds. */
type Presence = RowOf<typeof presenceRow>;

/** Seconds without a word from any of their clients after which somebody counts as offline. */
export const offlineThreshold = 140;

/** Seconds that a client may be connected since the last activity and still count as active: one ping, and some. */
const activeFor = 70;

/** What clients sent that know one state and its time. */
interface LegacyState {
  readonly status: "active" | "idle";
  /** UNIX seconds */
  readonly timestamp: number;
}

/** The two times (clients.md §3). */
function modernPresence({ active, idle }: Presence) {
  return { active_timestamp: active, idle_timestamp: idle };
}

/** One state and its time. */
function legacyState({ active, idle }: Presence): LegacyState {
  return active + activeFor >= idle
    ? { status: "active", timestamp: active }
    : { status: "idle", timestamp: idle };
}

/** The state as if one client, the web's, were all that there is (clients.md §3). */
export function legacyPresence(presence: Presence) {
  const state = { client: "website", ...legacyState(presence) };
  return { aggregated: state, website: { ...state, pushable: false } };
}

/** Columns of a {@link Presence}, of `user_presence p` and `users u`. */
const presenceColumns = `floor(extract(epoch FROM coalesce(p.active_at, u.date_joined)))::bigint AS active,
  floor(extract(epoch FROM p.idle_at))::bigint AS idle`;

/** Whether others are shown the row of `user_presence p`, which is that of `users u`. */
const presenceIsShown = `p.idle_at IS NOT NULL AND u.is_active AND NOT u.is_bot
  AND ${switchSql("presence_enabled")}`;

const ofAccount = statement({
  name: "presence-of-account",
  text: `SELECT ${presenceColumns}, extract(epoch FROM now())::float8 AS now
    FROM user_presence p JOIN users u ON u.id = p.user_id
    WHERE p.realm_id = $1 AND p.user_id = $2 AND ${presenceIsShown}`,
  row: { ...presenceRow, now: column.float },
});

/**
 * When somebody was last there, in the legacy form (clients.md §4).
 * @param named their ID or e-mail address
 * @throws ApiError `BAD_REQUEST` for who is unknown, deactivated or a bot, and where nothing is known or shown
 */
export async function readPresence(sql: Sql, viewer: Account, named: string) {
  const account = await findAccount(sql, viewer, named);
  if (!account?.isActive) throw errors.badRequest("There is no such active user");
  if (account.isBot) throw errors.badRequest("Bots have no presence");
  const [row] = await sql.rows(ofAccount, [viewer.realmId, account.id]);
  if (!row) throw errors.badRequest("Nothing is known of this user's presence");
  const state = legacyState(row);
  const offline = row.now - state.timestamp > offlineThreshold;
  return {
    aggregated: offline ? { ...state, status: "offline" as const } : state,
    website: state,
  };
}

interface ReadPresencesOptions {
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
  const [rows, userVisibility, [time]] = await Promise.all([
    sql.rows(shown, [viewer.realmId, since, days]),
    loadUserVisibility(sql, viewer),
    sql.rows(clock),
  ]);
  const presences: Record<string, ReturnType<typeof modernPresence | typeof legacyPresence>> = {};
  let newest = since;
  for (const [i, row] of rows.entries()) {
    newest = Math.max(newest, row.updateId);
    if (i % slice === slice - 1) await setImmediate();
    if (!userVisibility.sees({ id: row.id, isBot: false })) continue;
    if (modern) presences[row.id] = modernPresence(row);
    else presences[row.email] = legacyPresence(row);
  }
  return { presences, presence_last_update_id: newest, server_timestamp: time?.now ?? 0 };
}

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

/**
 * What everybody is told of somebody's presence.
 * @param now UNIX seconds, with a fraction
 * @param audience who sees the account
 */
export function presenceEvent(
  { id, email }: Pick<Account, "id" | "email">,
  now: number,
  presence: Presence,
  audience: Audience,
): NewEvent {
  return presenceChanged(
    {
      user_id: id,
      email,
      server_timestamp: now,
      ...modernPresence(presence),
    },
    { audience },
  );
}
