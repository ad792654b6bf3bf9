import type { Database } from "@carillon/db";
import { insertChannel } from "@carillon/domain";
import { defaultGroups, groupIds, loadSystemGroups } from "@carillon/model";
import { channelPermissions } from "@carillon/contract";
import type { Member, World } from "./world.ts";

/** Each account is subscribed to one of every ten channels. */
const subscribeToEvery = 10;

/**
 * Adds channels to the organization, each with its creator as administrator and a tenth of the members as subscribers.
 * The first `inviteOnly` channels are private. Each member has left one channel.
 */
export async function addChannels(
  db: Database,
  { realmId }: World,
  members: readonly Member[],
  { count, inviteOnly }: { readonly count: number; readonly inviteOnly: number },
): Promise<void> {
  const system = await loadSystemGroups(db, realmId);
  const groups = groupIds(defaultGroups(channelPermissions, system));
  await db.transaction(async (tx) => {
    const ids: number[] = [];
    for (let n = 0; n < count; n++) {
      const creatorId = members[n % members.length]!.id;
      const [own] = await tx.rows<{ id: number }>(
        `WITH own AS (INSERT INTO user_group (realm_id) VALUES ($1) RETURNING id), member AS (
           INSERT INTO user_group_member (group_id, user_id) SELECT id, $2 FROM own
         ) SELECT id FROM own`,
        [realmId, creatorId],
      );
      const channel = await insertChannel(tx, realmId, {
        name: `one of many ${(n * 7_919) % count}`,
        description: `What team ${n} **talks** about, see https://bench.test/teams/${n}`,
        creatorId,
        inviteOnly: n < inviteOnly,
        groups: { ...groups, canAdministerChannelGroupId: own!.id },
      });
      ids.push(channel!.id);
    }
    await tx.rows(
      `INSERT INTO subscriptions (channel_id, user_id, active)
       SELECT c.id, u.id, c.ord / $3 <> u.ord + $4
       FROM unnest($1::int[]) WITH ORDINALITY AS c (id, ord), unnest($2::int[]) WITH ORDINALITY AS u (id, ord)
       WHERE (c.ord + u.ord) % $3 = 0`,
      [
        ids,
        members.map(({ id }) => id),
        subscribeToEvery,
        Math.ceil(inviteOnly / subscribeToEvery),
      ],
    );
    await tx.rows(
      `UPDATE channels c SET subscriber_count =
         (SELECT count(*) FROM subscriptions s WHERE s.channel_id = c.id AND s.active)
       WHERE realm_id = $1`,
      [realmId],
    );
  });
  await db.rows("VACUUM ANALYZE");
}
