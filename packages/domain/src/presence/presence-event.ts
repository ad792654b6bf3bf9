import { type Audience, type NewEvent, presenceChanged } from "@carillon/contract";
import type { Account } from "@carillon/model";

import { modernPresence, type Presence } from "./presence.ts";

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
