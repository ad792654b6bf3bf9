import { roles } from "@carillon/contract";
import { type Sql, statement, typed } from "@carillon/db";

import {
  isPrivateSql,
  isPublicSql,
  isWebPublicSql,
  readingGroups,
  showingGroups,
} from "./access-sql.ts";

/**
 * The active accounts that can see each channel's metadata, by channel (events.md §4 "meta"): all accounts for a
 * web-public channel; all except unsubscribed guests for a public one; for a private one its subscribers, the
 * administrators, and the members of its groups except guests. Channels with equal audiences share one set.
 */
export type MetadataAudiences = ReadonlyMap<number, ReadonlySet<number>>;

type Basis = "everybody" | "nonGuests" | "administrators";

const bases = statement({
  name: "metadata-audience-bases",
  text: `SELECT coalesce(array_agg(id), '{}') AS everybody,
      coalesce(array_agg(id) FILTER (WHERE role <> ${roles.guest}), '{}') AS "nonGuests",
      coalesce(array_agg(id) FILTER (WHERE role <= ${roles.administrator}), '{}') AS administrators
    FROM users WHERE realm_id = $1 AND is_active AND system_bot_kind IS NULL`,
});

/**
 * SQL: the channels as `channel`, and the groups whose members can see the private ones as `granted (channel_id,
 * group_id)`.
 */
const channelsWithGroups = `WITH RECURSIVE channel AS (
      SELECT c.id, ${isWebPublicSql} AS is_web_public, ${isPrivateSql} AS is_private, ${showingGroups} AS groups
      FROM channels c WHERE c.realm_id = $1 AND c.id = ANY($2::int[])
    ), granted (channel_id, group_id) AS (
      SELECT id, unnest(groups) FROM channel WHERE is_private
      UNION
      SELECT granted.channel_id, edge.subgroup_id
      FROM granted JOIN user_group_subgroup edge ON edge.supergroup_id = granted.group_id
    )`;

const extras = statement({
  name: "metadata-audience-extras",
  text: `${channelsWithGroups}, extra AS (
      SELECT s.channel_id, s.user_id FROM subscriptions s
      JOIN channel c ON c.id = s.channel_id JOIN users u ON u.id = s.user_id
      WHERE s.active AND s.is_user_active AND NOT c.is_web_public AND (c.is_private OR u.role = ${roles.guest})
      UNION
      SELECT granted.channel_id, m.user_id FROM granted
      JOIN user_group_member m ON m.group_id = granted.group_id
      JOIN users u ON u.id = m.user_id AND u.is_active AND u.role <> ${roles.guest}
    )
    SELECT c.id, CASE WHEN c.is_web_public THEN 'everybody' WHEN c.is_private THEN 'administrators'
        ELSE 'nonGuests' END AS basis,
      coalesce((SELECT array_agg(user_id ORDER BY user_id) FROM extra WHERE channel_id = c.id), '{}') AS extra
    FROM channel c`,
  overrides: { basis: typed<Basis>() },
});

/** Loads the current audiences. Load them before a change too, to find which accounts gain access. */
export async function loadMetadataAudiences(
  sql: Sql,
  realmId: number,
  channelIds: readonly number[],
): Promise<MetadataAudiences> {
  if (channelIds.length === 0) return new Map();
  const [basis] = await sql.rows(bases, [realmId]);
  const rows = await sql.rows(extras, [realmId, channelIds]);
  const sets = new Map<string, Set<number>>();
  return new Map(
    rows.map(({ id, basis: kind, extra }) => {
      const key = `${kind}:${extra.join(",")}`;
      const known = sets.get(key) ?? new Set([...(basis?.[kind] ?? []), ...extra]);
      sets.set(key, known);
      return [id, known];
    }),
  );
}

/**
 * SQL: the accounts that can see one channel, as `seeing (id)`; one check for each account, however many are
 * subscribed.
 */
const seeing = `${channelsWithGroups}, seeing AS (
      SELECT u.id FROM users u CROSS JOIN channel c
      WHERE u.realm_id = $1 AND u.is_active AND u.system_bot_kind IS NULL AND (
        u.role <= CASE WHEN c.is_web_public THEN ${roles.guest} WHEN c.is_private THEN ${roles.administrator}
          ELSE ${roles.member} END
        OR u.id IN (SELECT s.user_id FROM subscriptions s
          WHERE s.channel_id = ANY($2::int[]) AND s.active AND s.is_user_active)
        OR u.role <> ${roles.guest} AND u.id IN (SELECT m.user_id FROM granted
          JOIN user_group_member m ON m.group_id = granted.group_id)
      )
    )`;

const ofOne = statement({
  name: "metadata-audience-of-one",
  text: `${seeing} SELECT coalesce(array_agg(id ORDER BY id), '{}')::text AS audience FROM seeing`,
});

/**
 * Loads the accounts that can see one channel's metadata, as a PostgreSQL array literal. Later statements take it as a
 * value, so that a list of any length is never parsed in JavaScript.
 */
export async function loadMetadataAudience(
  sql: Sql,
  realmId: number,
  channelId: number,
): Promise<string> {
  const [row] = await sql.rows(ofOne, [realmId, [channelId]]);
  return row?.audience ?? "{}";
}

/** The change of a channel's audience, as PostgreSQL array literals; `{}` for none. */
interface AudienceShift {
  readonly staying: string;
  readonly gained: string;
  readonly lost: string;
}

const shift = statement({
  name: "metadata-audience-shift",
  text: `${seeing}, both_states AS (
      SELECT id, a.id IS NOT NULL AS sees, b.id IS NOT NULL AS saw
      FROM seeing a FULL JOIN unnest($3::int[]) AS b (id) USING (id)
    )
    SELECT coalesce(array_agg(id ORDER BY id) FILTER (WHERE saw AND sees), '{}')::text AS staying,
      coalesce(array_agg(id ORDER BY id) FILTER (WHERE NOT saw), '{}')::text AS gained,
      coalesce(array_agg(id ORDER BY id) FILTER (WHERE NOT sees), '{}')::text AS lost
    FROM both_states`,
});

/**
 * Compares the current audience with a previous one.
 * @param before from {@link loadMetadataAudience}, of the same transaction
 */
export async function loadAudienceShift(
  sql: Sql,
  realmId: number,
  channelId: number,
  before: string,
): Promise<AudienceShift> {
  const [row] = await sql.rows(shift, [realmId, [channelId], before]);
  return row ?? { staying: "{}", gained: "{}", lost: "{}" };
}

/** The accounts that may read each channel's content, by channel, ascending; undefined for all active accounts. */
export type ContentAudiences = ReadonlyMap<number, readonly number[] | undefined>;

/**
 * Evaluates `hasContentAccess` for all active accounts at once; a test compares the two. The list is not built if it
 * would contain all accounts, because it would be as long as the organization is large.
 */
const readers = statement({
  name: "content-audiences",
  text: `WITH RECURSIVE account AS MATERIALIZED (
      SELECT id, role FROM users WHERE realm_id = $1 AND is_active AND system_bot_kind IS NULL
    ), channel AS MATERIALIZED (
      SELECT c.id, ${isWebPublicSql} OR ${isPublicSql} AND NOT EXISTS (
          SELECT FROM account WHERE role = ${roles.guest} AND NOT EXISTS (
            SELECT FROM subscriptions s WHERE s.channel_id = c.id AND s.user_id = account.id AND s.active)
        ) AS everybody, ${isPublicSql} AS is_public, ${readingGroups} AS groups
      FROM channels c WHERE c.realm_id = $1 AND c.id = ANY(ARRAY(SELECT unnest($2::int[])))
    ), granted (channel_id, group_id) AS (
      SELECT id, unnest(groups) FROM channel WHERE NOT is_public AND NOT everybody
      UNION
      SELECT granted.channel_id, edge.subgroup_id
      FROM granted JOIN user_group_subgroup edge ON edge.supergroup_id = granted.group_id
    ), reader AS (
      SELECT s.channel_id, s.user_id FROM channel c
      JOIN subscriptions s ON s.channel_id = c.id AND s.active JOIN account ON account.id = s.user_id
      WHERE NOT c.everybody
      UNION
      SELECT c.id, account.id FROM channel c, account
      WHERE NOT c.everybody AND c.is_public AND account.role <> ${roles.guest}
      UNION
      SELECT granted.channel_id, account.id FROM granted
      JOIN user_group_member m ON m.group_id = granted.group_id
      JOIN account ON account.id = m.user_id AND account.role <> ${roles.guest}
    )
    SELECT c.id, CASE WHEN NOT c.everybody THEN coalesce(
      (SELECT array_agg(user_id ORDER BY user_id) FROM reader WHERE channel_id = c.id), '{}') END AS "readerIds"
    FROM channel c`,
});

/**
 * Loads the active accounts that may currently read the channels' content (channels.md §3). With protected history,
 * each may read only what it has received.
 */
export async function loadContentAudiences(
  sql: Sql,
  realmId: number,
  channelIds: readonly number[],
): Promise<ContentAudiences> {
  if (channelIds.length === 0) return new Map();
  const rows = await sql.rows(readers, [realmId, channelIds]);
  return new Map(rows.map(({ id, readerIds }) => [id, readerIds ?? undefined]));
}
