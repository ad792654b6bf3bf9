import { type Audience, type NewEvent, defaultChannelsChanged, roles } from "@carillon/contract";
import { column, statement, type Sql } from "@carillon/db";

const defaults = statement({
  name: "default-channels-event",
  text: `SELECT
      ARRAY(SELECT d.channel_id FROM default_channels d JOIN channels c ON c.id = d.channel_id
        WHERE c.realm_id = $1 ORDER BY 1) AS channels,
      ARRAY(SELECT id FROM users WHERE realm_id = $1 AND is_active AND role <> ${roles.guest}
        AND system_bot_kind IS NULL ORDER BY 1)::text AS audience`,
  row: { channels: column.ints, audience: column.text },
});

/**
 * The whole list of default channels.
 * @param told everybody but guests unless given
 */
export async function defaultChannelsEvent(
  sql: Sql,
  realmId: number,
  told?: Audience,
): Promise<NewEvent> {
  const [row] = await sql.rows(defaults, [realmId]);
  return defaultChannelsChanged(
    { default_streams: row?.channels ?? [] },
    { audience: told ?? row?.audience ?? "{}" },
  );
}

/** What accounts are told that have become guests: they know no default channels. */
export function noDefaultChannelsEvent(audience: Audience): NewEvent {
  return defaultChannelsChanged({ default_streams: [] }, { audience });
}
