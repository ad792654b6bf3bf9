import { isGuest } from "@carillon/contract";

import type { Fragment } from "./sql-values.ts";
import type { Reader } from "./reader.ts";

/**
 * Content access to the channel `c` (channels.md §3) as a condition of a statement, for the hot reads that cannot
 * ask channel by channel. It says what `hasContentAccess` says; a test holds the two against each other.
 */
export function channelReadable(viewer: Reader): Fragment {
  return (values) => {
    const me = values.add(viewer.id, "int");
    const subscribed = `EXISTS (SELECT 1 FROM subscriptions s
      WHERE s.channel_id = c.id AND s.user_id = ${me} AND s.active OFFSET 0)`;
    // Guests gain nothing from the groups: neither permission may be given to everyone.
    if (isGuest(viewer)) return `(c.is_web_public OR ${subscribed})`;
    return `(NOT c.invite_only OR ${subscribed} OR ARRAY[c.can_subscribe_group_id, c.can_add_subscribers_group_id] && (
      WITH RECURSIVE mine (group_id) AS (
        SELECT group_id FROM user_group_member WHERE user_id = ${me}
        UNION
        SELECT edge.supergroup_id FROM mine JOIN user_group_subgroup edge ON edge.subgroup_id = mine.group_id
      ) SELECT coalesce(array_agg(group_id), '{}') FROM mine))`;
  };
}

/**
 * Whether a message `m` that the viewer has a row of still counts (messages.md §2.1): direct ones do, those of
 * channels while their content may be read. `OFFSET 0` keeps the planner from turning the look-up of a window's
 * rows into a join with everything.
 */
export function messageReadable(viewer: Reader): Fragment {
  return (values) => `NOT m.is_channel OR EXISTS (
    SELECT 1 FROM recipients r JOIN channels c ON c.id = r.channel_id
    WHERE r.id = m.recipient_id AND ${channelReadable(viewer)(values)} OFFSET 0)`;
}
