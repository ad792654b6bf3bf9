import { roles } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";

import {
  hasSharedHistorySql,
  isPublicSql,
  isWebPublicSql,
  readingGroups,
} from "../channels/access-sql.ts";
import { flag } from "./flags.ts";
import type { AccessibleMessage } from "./access.ts";

const ofConversation = statement({
  name: "message-audience-direct",
  text: `SELECT u.id FROM users u JOIN user_messages um ON um.user_id = u.id AND um.message_id = $1
    WHERE u.id = ANY(ARRAY(SELECT unnest($2::int[]))) AND u.is_active ORDER BY u.id`,
});

/** Copies are keyed by account, so the statement looks them up for the possible holders, like a removal. */
const ofChannel = statement({
  name: "message-audience-channel",
  text: `WITH RECURSIVE granted (group_id) AS (
      SELECT unnest(${readingGroups}) FROM channels c WHERE c.id = $2
      UNION
      SELECT edge.subgroup_id FROM granted JOIN user_group_subgroup edge ON edge.supergroup_id = granted.group_id
    ), receiver AS (
      SELECT s.user_id FROM channels c JOIN subscriptions s ON s.channel_id = c.id
      JOIN user_messages um ON um.user_id = s.user_id AND um.message_id = $1
      WHERE c.id = $2 AND NOT (s.active AND ${hasSharedHistorySql})
      UNION
      SELECT user_id FROM user_messages WHERE message_id = $1 AND flags & ${flag.historical} <> 0
    ), audience AS (
      SELECT s.user_id AS id FROM subscriptions s JOIN channels c ON c.id = s.channel_id
      WHERE s.channel_id = $2 AND s.active AND ${hasSharedHistorySql}
      UNION
      SELECT receiver.user_id FROM receiver JOIN users u ON u.id = receiver.user_id JOIN channels c ON c.id = $2
      WHERE ${isWebPublicSql}
        OR EXISTS (SELECT FROM subscriptions s WHERE s.channel_id = $2 AND s.user_id = receiver.user_id AND s.active)
        OR u.role <> ${roles.guest} AND (${isPublicSql} OR EXISTS (
          SELECT FROM user_group_member m JOIN granted USING (group_id) WHERE m.user_id = receiver.user_id))
    )
    SELECT u.id FROM audience JOIN users u ON u.id = audience.id WHERE u.is_active ORDER BY u.id`,
});

/**
 * Loads the receivers of a message's events (events.md §4), ascending: accounts that have a copy, and with shared
 * history subscribers of its channel; only active accounts that can read it. The caller must hold the locks that keep
 * these facts unchanged.
 */
export async function loadMessageAudience(
  tx: Tx,
  { id, channelId, memberIds }: Pick<AccessibleMessage, "id" | "channelId" | "memberIds">,
): Promise<number[]> {
  const rows =
    channelId === null
      ? await tx.rows(ofConversation, [id, memberIds ?? []])
      : await tx.rows(ofChannel, [id, channelId]);
  return rows.map((row) => row.id);
}
