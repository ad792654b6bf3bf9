import { setImmediate } from "node:timers/promises";

import { type Audience, errors, type NewEvent, presenceChanged } from "@carillon/contract";
import { lockKeyWithCommit, notNull, type RowOf, type Sql, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  loadAccountAudience,
  findAccount,
  loadUserVisibility,
  switchSql,
} from "@carillon/model";

/** Types of {@link presenceColumns} that PostgreSQL cannot describe. */
const presenceOverrides = { idle: notNull };

/**
 * When an account was last active and last connected, in UNIX seconds.
 * - `active`: when it was last active; when it was created if it never was.
 * - `idle`: when it was last connected, active or not.
 */
type Presence = Pick<RowOf<typeof ofAccount>, "active" | "idle">;

/** Seconds after the last ping of any client when an account counts as offline. */
export const offlineThreshold = 140;

/** Seconds after the last activity in which a connected account still counts as active: a little more than one ping. */
const activeFor = 70;

/** The legacy format: one state and its time. */
interface LegacyState {
  readonly status: "active" | "idle";
  /** UNIX seconds */
  readonly timestamp: number;
}

/** Converts a presence to the modern format: two times (clients.md §3). */
function modernPresence({ active, idle }: Presence) {
  return { active_timestamp: active, idle_timestamp: idle };
}

/** Converts a presence to the legacy format. */
function legacyState({ active, idle }: Presence): LegacyState {
  return active + activeFor >= idle
    ? { status: "active", timestamp: active }
    : { status: "idle", timestamp: idle };
}

/** Returns the legacy format of an account whose only client is the website (clients.md §3). */
export function legacyPresence(presence: Presence) {
  const state = { client: "website", ...legacyState(presence) };
  return { aggregated: state, website: { ...state, pushable: false } };
}

/** Columns of a {@link Presence}, of `user_presence p` and `users u`. */
const presenceColumns = `floor(extract(epoch FROM coalesce(p.active_at, u.date_joined)))::bigint AS active,
  floor(extract(epoch FROM p.idle_at))::bigint AS idle`;

/** SQL condition: whether others may see the presence in `user_presence p` of the account `users u`. */
const presenceIsShown = `p.idle_at IS NOT NULL AND u.is_active AND NOT u.is_bot
  AND ${switchSql("presence_enabled")}`;

const ofAccount = statement({
  name: "presence-of-account",
  text: `SELECT ${presenceColumns}, extract(epoch FROM now())::float8 AS now
    FROM user_presence p JOIN users u ON u.id = p.user_id
    WHERE p.realm_id = $1 AND p.user_id = $2 AND ${presenceIsShown}`,
  overrides: presenceOverrides,
});

/**
 * Returns an account's presence in the legacy format (clients.md §4).
 * @param named the account's ID or e-mail address
 * @throws ApiError `BAD_REQUEST` for an account that is unknown, deactivated or a bot, and for a presence that is
 * unknown or hidden
 */
export async function readPresence(sql: Sql, viewer: Account, named: string) {
  const account = await findAccount(sql, viewer, named);
  if (!account?.isActive) throw errors.badRequest("There is no such active user");
  if (account.isBot) throw errors.badRequest("Bots have no presence");
  const [row] = await sql.rows(ofAccount, [viewer.realmId, account.id]);
  if (!row) throw errors.badRequest("The presence of this user is unknown");
  const state = legacyState(row);
  const offline = row.now - state.timestamp > offlineThreshold;
  return {
    aggregated: offline ? { ...state, status: "offline" as const } : state,
    website: state,
  };
}

interface ReadPresencesOptions {
  /** True: keys are user IDs, in the modern format. False: keys are e-mail addresses, in the legacy format. */
  readonly modern: boolean;
  /** Returns only presences changed after this update; all of them if undefined. */
  readonly since?: number | undefined;
  /** Days: accounts last connected before that are left out. */
  readonly historyLimit: number;
}

/** Default of `historyLimit`, in days. */
export const usualHistoryLimit = 14;

/** A hundred years, in days: longer than any history, and PostgreSQL can still compute the date. */
const maxHistoryDays = 36_525;

const shown = statement({
  name: "presences",
  text: `SELECT u.id, u.email, p.update_id AS "updateId", ${presenceColumns}
    FROM user_presence p JOIN users u ON u.id = p.user_id
    WHERE p.realm_id = $1 AND p.update_id > $2 AND p.idle_at >= now() - make_interval(days => $3::int)
      AND ${presenceIsShown}`,
  overrides: presenceOverrides,
});

const clock = statement({
  name: "presence-clock",
  text: "SELECT extract(epoch FROM now())::float8 AS now",
});

/** Presences converted before other work may run: a few milliseconds. */
const slice = 2_000;

/**
 * Returns the presences of the organization's users in the wire format (clients.md §4). Leaves out accounts that hide
 * their presence (`presence_enabled`), deactivated accounts, bots, and accounts that the viewer cannot see.
 */
export async function readPresences(
  sql: Sql,
  viewer: Pick<Account, "id" | "realmId" | "role">,
  { modern, since = -1, historyLimit }: ReadPresencesOptions,
) {
  const days = Math.min(Math.max(historyLimit, 0), maxHistoryDays);
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

/** Locks the row: if two clients come back at once, only one sends the event. */
const before = statement({
  name: "presence-before",
  // Times in UNIX seconds with a fraction, null if there was none.
  text: `SELECT extract(epoch FROM active_at)::float8 AS active, extract(epoch FROM idle_at)::float8 AS idle
    FROM user_presence WHERE user_id = $1 FOR NO KEY UPDATE`,
});

const circumstances = statement({
  name: "presence-circumstances",
  text: `SELECT ${switchSql("presence_enabled")} AS enabled, extract(epoch FROM now())::float8 AS now
    FROM users u WHERE u.id = $1`,
});

const store = statement({
  name: "presence-store",
  text: `INSERT INTO user_presence (user_id, realm_id, active_at, idle_at)
    VALUES ($1, $2, CASE WHEN $3 THEN now() END, now())
    ON CONFLICT (user_id) DO UPDATE SET update_id = excluded.update_id,
      active_at = greatest(user_presence.active_at, excluded.active_at),
      idle_at = greatest(user_presence.idle_at, excluded.idle_at)`,
});

/**
 * Records that the account is connected, and whether it is active. Sends an event when it was offline before
 * (clients.md §4). Stores nothing for an account that hides its presence (`presence_enabled`).
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
  // Locks before `update_id` is taken, so that update ids follow the order of commits: a client that asks for presences
  // after an id misses none.
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
      await loadAccountAudience(tx, actor),
    ),
  ]);
}

/**
 * Makes the event of a changed presence.
 * @param now UNIX seconds, with a fraction
 * @param audience the users that see the account
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
