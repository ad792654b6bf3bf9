import { channelPermissions } from "@carillon/contract";
import type { Database } from "@carillon/db";
import { insertChannel } from "@carillon/domain";
import { defaultGroups, groupIds, loadSystemGroups } from "@carillon/model";
import { addCrowd } from "../crowd.ts";
import { createWorld, type Member } from "../world.ts";

/** Size of an organization without messages. */
export interface Size {
  readonly users: number;
  readonly channels: number;
}

/** A channel of the organization. */
export interface HistoryChannel {
  readonly id: number;
  readonly name: string;
  readonly recipientId: number;
  readonly subscribers: readonly number[];
}

/** The organization and its members; the first member is subscribed to every channel. */
export interface HistoryOrganization {
  readonly realmId: number;
  readonly members: readonly Member[];
  /** Ordered by the number of subscribers, largest first. */
  readonly channels: readonly HistoryChannel[];
}

/** The fewest subscribers of a channel. */
const smallestTeam = 6;

/** Direct conversations per account; every tenth is a group conversation. */
const conversationsEach = 3;

/**
 * Creates the organization. All members are in the first channel; channel number `n` has 1 / n^1.5 of them, as in an
 * organization with a few large channels and hundreds of teams. Creates the tables `bench_channels` and
 * `bench_talks`, which list the channels and the direct conversations for drawing messages.
 */
export async function createOrganizationWithoutMessages(
  db: Database,
  { users, channels }: Size,
): Promise<HistoryOrganization> {
  const world = await createWorld(db, 1, 1);
  const [first] = world.channels;
  const members = [...first!.members, ...(await addCrowd(db, world, first!, users - 1))];
  await addChannels(db, world.realmId, channels, members);
  await addConversations(db, world.realmId, members);
  await db.rows("VACUUM ANALYZE");
  const places = await db.rows<HistoryChannel>(
    `SELECT c.id, c.name, b.recipient_id AS "recipientId", b.subscribers
     FROM bench_channels b JOIN channels c ON c.id = b.channel_id ORDER BY b.n`,
  );
  return { realmId: world.realmId, members, channels: places };
}

async function addChannels(
  db: Database,
  realmId: number,
  count: number,
  members: readonly Member[],
): Promise<void> {
  const system = await loadSystemGroups(db, realmId);
  const groups = groupIds(defaultGroups(channelPermissions, system));
  const creatorId = members[0]!.id;
  await db.transaction(async (tx) => {
    for (let n = 2; n <= count; n++)
      await insertChannel(tx, realmId, { name: `channel ${n}`, creatorId, groups });
    // Picks members in steps of a prime number, so that channels have different subscribers.
    await tx.rows(
      `INSERT INTO subscriptions (channel_id, user_id, is_muted)
       SELECT c.id, person, person = $2 AND c.n % 10 = 0
       FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM channels WHERE realm_id = $1) c
       CROSS JOIN LATERAL (
         SELECT DISTINCT person FROM (
           SELECT ($3::int[])[1 + (c.n * 389 + s * 7919) % cardinality($3::int[])] AS person
           FROM generate_series(1, greatest(${smallestTeam}, round(cardinality($3::int[]) / pow(c.n, 1.5)))::int) AS s
           UNION ALL SELECT $2) drawn
       ) people
       WHERE c.n > 1 ORDER BY 1, 2`,
      [realmId, creatorId, members.map(({ id }) => id)],
    );
    await tx.rows(
      `CREATE TABLE bench_channels AS
       SELECT row_number() OVER (ORDER BY c.id) AS n, c.id AS channel_id, r.id AS recipient_id,
         ARRAY(SELECT user_id FROM subscriptions s WHERE s.channel_id = c.id ORDER BY user_id) AS subscribers
       FROM channels c JOIN recipients r ON r.channel_id = c.id WHERE c.realm_id = $1`,
      [realmId],
    );
    await tx.rows(
      `UPDATE channels c SET subscriber_count = cardinality(b.subscribers), is_recently_active = true
       FROM bench_channels b WHERE b.channel_id = c.id`,
    );
  });
}

async function addConversations(
  db: Database,
  realmId: number,
  members: readonly Member[],
): Promise<void> {
  await db.rows(
    `INSERT INTO recipients (realm_id, member_ids, member_hash)
     SELECT DISTINCT $1::int, ids, sha256(convert_to(array_to_string(ids, ','), 'UTF8'))
     FROM generate_series(1, cardinality($2::int[]) * ${conversationsEach}) AS n CROSS JOIN LATERAL (
       SELECT array_agg(DISTINCT ($2::int[])[1 + (n * (1 + s * 31) + s * 97) % cardinality($2::int[])]) AS ids
       FROM generate_series(0, CASE WHEN n % 10 = 0 THEN 3 ELSE 1 END) AS s) people`,
    [realmId, members.map(({ id }) => id)],
  );
  await db.rows(
    `CREATE TABLE bench_talks AS
     SELECT row_number() OVER (ORDER BY id) AS n, id AS recipient_id, member_ids AS members
     FROM recipients WHERE realm_id = $1 AND member_ids IS NOT NULL`,
    [realmId],
  );
}
