import { column, type RowOf } from "@carillon/db";
import { switchSql } from "@carillon/model";

/** The rows of {@link presenceColumns}. */
export const presenceRow = {
  /** Last active; when the account was made where it never was. */
  active: column.bigint,
  /** Last connected, active or not. */
  idle: column.bigint,
};

/** When somebody was last there. UNIX seconds. */
export type Presence = RowOf<typeof presenceRow>;

/** Seconds without a word from any of their clients after which somebody counts as offline. */
export const offlineThreshold = 140;

/** Seconds that a client may be connected since the last activity and still count as active: one ping, and some. */
const activeFor = 70;

/** What clients sent that know one state and its time. */
export interface LegacyState {
  readonly status: "active" | "idle";
  /** UNIX seconds */
  readonly timestamp: number;
}

/** The two times (clients.md §3). */
export function modernPresence({ active, idle }: Presence) {
  return { active_timestamp: active, idle_timestamp: idle };
}

/** One state and its time. */
export function legacyState({ active, idle }: Presence): LegacyState {
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
export const presenceColumns = `floor(extract(epoch FROM coalesce(p.active_at, u.date_joined)))::bigint AS active,
  floor(extract(epoch FROM p.idle_at))::bigint AS idle`;

/** Whether others are shown the row of `user_presence p`, which is that of `users u`. */
export const presenceIsShown = `p.idle_at IS NOT NULL AND u.is_active AND NOT u.is_bot
  AND ${switchSql("presence_enabled")}`;
