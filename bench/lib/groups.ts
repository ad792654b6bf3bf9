import type { Database } from "@carillon/db";
import { loadSystemGroups } from "@carillon/model";
import type { Member, World } from "./world.ts";

/** Members of each group, and the depth of nesting. */
const membersEach = 30;
const depth = 8;

export interface GroupCrowd {
  /** Members who hold the organization's `can_create_groups` through eight nested groups. */
  readonly holders: readonly Member[];
}

/**
 * Adds user groups to the organization, in chains of eight: each group is the only subgroup of the one before it.
 * Members are the creators, and each group has the permissions of a new group. The members of the first chain may
 * create groups.
 */
export async function addGroups(
  db: Database,
  { realmId }: World,
  members: readonly Member[],
  count: number,
): Promise<GroupCrowd> {
  const system = await loadSystemGroups(db, realmId);
  const memberOf = (n: number) => members[n % members.length]!;
  const inGroup = (n: number) =>
    Array.from({ length: membersEach }, (_, m) => memberOf(n * membersEach + m));
  const ids = await db.transaction(async (tx) => {
    const made = await tx.rows<{ id: number }>(
      "INSERT INTO user_group (realm_id) SELECT $1 FROM generate_series(1, $2) RETURNING id",
      [realmId, 3 * count],
    );
    const [named, adders, managers] = [0, 1, 2].map((part) =>
      made.slice(part * count, (part + 1) * count).map(({ id }) => id),
    ) as [number[], number[], number[]];
    const creators = named.map((_, n) => memberOf(n).id);
    await tx.rows(
      `INSERT INTO named_user_group (id, realm_id, name, description, creator_id, date_created,
         can_add_members_group_id, can_manage_group_id, can_join_group_id, can_leave_group_id,
         can_mention_group_id, can_remove_members_group_id)
       SELECT id, $1, 'group ' || id, 'One of the groups of the bench', creator, now(), adder, manager, $2, $3, $3, $2
       FROM unnest($4::int[], $5::int[], $6::int[], $7::int[]) AS g (id, creator, adder, manager)`,
      [realmId, system["role:nobody"], system["role:everyone"], named, creators, adders, managers],
    );
    const memberships = [
      ...named.flatMap((id, n) => inGroup(n).map((member) => [id, member.id] as const)),
      ...[...adders, ...managers].map((id, n) => [id, creators[n % count]!] as const),
    ];
    await tx.rows(
      "INSERT INTO user_group_member (group_id, user_id) SELECT * FROM unnest($1::int[], $2::int[])",
      [memberships.map(([id]) => id), memberships.map(([, userId]) => userId)],
    );
    const edges = named.flatMap((id, n) => (n % depth === 0 ? [] : [[named[n - 1]!, id] as const]));
    await tx.rows(
      "INSERT INTO user_group_subgroup (supergroup_id, subgroup_id) SELECT * FROM unnest($1::int[], $2::int[])",
      [edges.map(([above]) => above), edges.map(([, below]) => below)],
    );
    await tx.rows("UPDATE realms SET can_create_groups_id = $2 WHERE id = $1", [realmId, named[0]]);
    return named;
  });
  await db.rows("VACUUM ANALYZE");
  if (ids.length !== count) throw new Error(`${ids.length} groups were created`);
  return { holders: inGroup(depth - 1) };
}
