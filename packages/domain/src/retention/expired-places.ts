import { column, statement, type Sql } from "@carillon/db";

/** Where messages are that are kept no longer. */
export interface Place {
  /** Null for the organization's direct messages. */
  readonly channelId: number | null;
}

/** Days for which messages are kept, of the channel `c` in the organization `r`; null or -1 for ever. */
export const keptFor = "coalesce(c.message_retention_days, r.message_retention_days)";

/** Intervals are compared, since a date so many days ago may be one that PostgreSQL does not have. */
export const expired = (message: string, days: string) =>
  `now() - ${message}.sent_at > make_interval(days => ${days})`;

/**
 * Messages rise with time: of each place the one with the lowest id tells, however many there are. That is one look-up a
 * channel, and one for all direct messages.
 */
export const expiredPlaces = statement({
  name: "retention-places",
  text: `SELECT c.id AS "channelId" FROM realms r JOIN channels c ON c.realm_id = r.id
    JOIN recipients p ON p.channel_id = c.id CROSS JOIN LATERAL (
      SELECT sent_at FROM messages WHERE recipient_id = p.id ORDER BY id LIMIT 1) m
    WHERE r.id = $1 AND ${keptFor} > 0 AND ${expired("m", keptFor)}
    UNION ALL
    SELECT NULL FROM realms r CROSS JOIN LATERAL (
      SELECT sent_at FROM messages WHERE realm_id = r.id AND NOT is_channel ORDER BY id LIMIT 1) m
    WHERE r.id = $1 AND r.message_retention_days > 0 AND ${expired("m", "r.message_retention_days")}
    ORDER BY 1`,
  row: { channelId: column.int.orNull() },
});

/** Where the organization has messages that are kept no longer; archived channels too. */
export function loadExpiredPlaces(sql: Sql, realmId: number): Promise<readonly Place[]> {
  return sql.rows(expiredPlaces, [realmId]);
}
