import { type Account, audienceNow } from "@carillon/model";
import { column, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { presenceEvent } from "../presence/presence-event.ts";
import { offlineThreshold } from "../presence/presence.ts";
import { recordPresence } from "../presence/record-presence.ts";

/** UNIX seconds, with a fraction. */
const lastSeenRow = { now: column.float, active: column.float, idle: column.float };

const lastSeen = statement({
  name: "presence-last-seen",
  text: `SELECT extract(epoch FROM now())::float8 AS now, extract(epoch FROM idle_at)::float8 AS idle,
      extract(epoch FROM coalesce(active_at, idle_at))::float8 AS active
    FROM user_presence WHERE user_id = $1 AND idle_at > now() - make_interval(secs => $2)`,
  row: lastSeenRow,
});

/**
 * What others see of the account at once, when it begins to show its presence or ends to
 * (settings-and-profile-fields.md §1.3): it is there, or it counts as gone without waiting for that.
 * @param shown the new value of `presence_enabled`, stored already
 */
export async function switchPresence(tx: Tx, account: Account, shown: boolean): Promise<void> {
  if (shown) return recordPresence(tx, account, "active");
  const seen = await tx.first(lastSeen, [account.id, offlineThreshold]);
  if (!seen) return;
  const gone = Math.floor(seen.now) - offlineThreshold - 1;
  emit(tx, account.realmId, [
    presenceEvent(
      account,
      seen.now,
      {
        active: Math.min(Math.floor(seen.active), gone),
        idle: Math.min(Math.floor(seen.idle), gone),
      },
      await audienceNow(tx, account),
    ),
  ]);
}
