import { statement, type RowOf, type Sql } from "@carillon/db";

/** Limit of accounts or channels with one address or name; each is in another organization. */
const maxRows = 50;

const accounts = statement({
  name: "dashboard-accounts",
  text: `SELECT u.id, u.full_name AS name, u.delivery_email AS email, u.is_active AS "isActive", u.is_bot AS "isBot",
      u.realm_id AS "realmId", r.name AS "realmName"
    FROM users u JOIN realms r ON r.id = u.realm_id
    WHERE u.id = ANY(ARRAY(
      (SELECT id FROM users WHERE lower(delivery_email) = lower($1) LIMIT ${maxRows})
      UNION (SELECT id FROM users WHERE lower(email) = lower($1) LIMIT ${maxRows})))
    ORDER BY u.id LIMIT ${maxRows}`,
});

/** An account with a searched address. */
export type AccountView = RowOf<typeof accounts>;

/** Finds accounts by either address, case-insensitive. */
export function findAccounts(sql: Sql, address: string): Promise<AccountView[]> {
  return sql.rows(accounts, [address]);
}

const channels = statement({
  name: "dashboard-channels",
  text: `SELECT c.id, c.name, c.is_archived AS "isArchived", q.id AS "recipientId", c.realm_id AS "realmId",
      r.name AS "realmName"
    FROM channels c JOIN realms r ON r.id = c.realm_id JOIN recipients q ON q.channel_id = c.id
    WHERE c.id = $2 OR (c.realm_id, lower(c.name)) IN (SELECT id, lower($1) FROM realms)
    ORDER BY c.id LIMIT ${maxRows}`,
});

/** A channel with a searched name. */
export type ChannelView = RowOf<typeof channels>;

/** Finds channels by id, and by name in every organization. */
export function findChannels(sql: Sql, channel: string): Promise<ChannelView[]> {
  const id = /^\d{1,9}$/.test(channel) ? Number(channel) : null;
  return sql.rows(channels, [channel, id]);
}
