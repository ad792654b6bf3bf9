import type { NumberedMessage } from "@carillon/model";
import { isAway } from "@carillon/model";
import { statement, notNull, type Sql } from "@carillon/db";

/** Ids of receivers as the text of a PostgreSQL array, which goes back into SQL unparsed. */
export type Audience = string;

/** The receivers of a message. */
export interface Receivers {
  readonly audience: Audience;
  /**
   * The receivers who are not away; null if no receiver is away. Receivers who are away get only copies with flags
   * (docs/decisions/083).
   */
  readonly present: Audience | null;
  /** Whether one of them has a device with a push token. */
  readonly reachable: boolean;
}

/** Looks up all ids in one scan of the index of devices, which costs little if there are few devices. */
const hasDevice = (ids: string) =>
  `EXISTS (SELECT FROM client_devices d WHERE d.user_id = ANY(${ids}) AND d.push_token_id IS NOT NULL)`;

const subscribers = statement({
  name: "channel-audiences",
  text: `SELECT channel_id AS "channelId", ids::text AS audience, CASE WHEN some_away THEN present::text END AS present,
      ${hasDevice("ids")} AS reachable FROM (
      SELECT s.channel_id, array_agg(s.user_id ORDER BY s.user_id) AS ids, bool_or(${isAway}) AS some_away,
        coalesce(array_agg(s.user_id ORDER BY s.user_id) FILTER (WHERE NOT (${isAway})), '{}') AS present
      FROM subscriptions s
      WHERE s.channel_id = ANY($1::int[]) AND s.active AND s.is_user_active GROUP BY s.channel_id OFFSET 0) s`,
  overrides: { audience: notNull },
});

const withDevice = statement({
  name: "members-with-device",
  text: `SELECT DISTINCT user_id AS id FROM client_devices
    WHERE user_id = ANY($1::int[]) AND push_token_id IS NOT NULL`,
});

const noReceivers: Receivers = { audience: "{}", present: null, reachable: false };

/**
 * Loads the receivers of each message: the active subscribers of the channel, or the members of the conversation. A sender
 * outside the channel gets no copy.
 */
export async function loadReceivers(
  sql: Sql,
  messages: ReadonlyArray<Pick<NumberedMessage, "sender" | "target">>,
): Promise<Receivers[]> {
  const channelIds = new Set<number>();
  const memberIds = new Set<number>();
  for (const { target } of messages)
    if (target.kind === "channel") channelIds.add(target.channel.id);
    else for (const id of target.members) memberIds.add(id);
  const [rows, reached] = await Promise.all([
    channelIds.size > 0 ? sql.rows(subscribers, [[...channelIds]]) : [],
    memberIds.size > 0 ? sql.rows(withDevice, [[...memberIds]]) : [],
  ]);
  const byChannel = new Map(rows.map(({ channelId, ...receivers }) => [channelId, receivers]));
  const reachable = new Set(reached.map(({ id }) => id));
  return messages.map(({ target, sender }) =>
    target.kind === "channel"
      ? (byChannel.get(target.channel.id) ?? noReceivers)
      : {
          audience: `{${target.members.join(",")}}`,
          present: null,
          reachable: target.members.some((id) => id !== sender.id && reachable.has(id)),
        },
  );
}

/** Returns the accounts that are in the audience. */
export function amongAudience(audience: Audience, ids: readonly number[]): readonly number[] {
  if (ids.length === 0) return ids;
  const receivers = new Set(audience.slice(1, -1).split(","));
  return ids.filter((id) => receivers.has(String(id)));
}
