import {
  type Account,
  type Site,
  accountColumns,
  accountRow,
  gravatarUrl,
  hasPowerOfOwnersSql,
  pictureOf,
} from "@carillon/model";
import { roles, type OwnBot } from "@carillon/contract";
import { column, statement, type Sql } from "@carillon/db";

const own = statement({
  name: "own-bots",
  text: `SELECT ${accountColumns}, u.api_key_sealed AS "apiKeySealed", s.name AS default_sending_stream,
      e.name AS default_events_register_stream, u.default_all_public_channels AS default_all_public_streams
    FROM users u
      LEFT JOIN channels s ON s.id = u.default_sending_channel_id
      LEFT JOIN channels e ON e.id = u.default_events_register_channel_id
    WHERE u.realm_id = $1 AND u.bot_owner_id = $2 AND u.is_bot AND u.is_active
      AND ($3 = ${roles.owner} OR NOT ${hasPowerOfOwnersSql("u")})
    ORDER BY u.id`,
  row: {
    ...accountRow,
    apiKeySealed: column.bytes,
    default_sending_stream: column.text.orNull(),
    default_events_register_stream: column.text.orNull(),
    default_all_public_streams: column.bool,
  },
});

/** The account's active bots, with their keys (users.md §5); those that only owners administer, for owners only. */
export async function listOwnBots(sql: Sql, site: Site, owner: Account): Promise<OwnBot[]> {
  const rows = await sql.rows(own, [owner.realmId, owner.id, owner.role]);
  return rows.map((bot) => ({
    username: bot.deliveryEmail,
    full_name: bot.fullName,
    api_key: site.secrets.open(bot.apiKeySealed),
    avatar_url: gravatarUrl(pictureOf(bot)),
    default_sending_stream: bot.default_sending_stream,
    default_events_register_stream: bot.default_events_register_stream,
    default_all_public_streams: bot.default_all_public_streams,
  }));
}
