import type { Database, Sql } from "@carillon/db";
import { groupPermissions } from "@carillon/contract";
import { defaultGroups, groupIds, loadSystemGroups } from "@carillon/model";
import { unique } from "./unique.ts";

/**
 * Creates an unnamed group, as settings store object values.
 * @returns its id
 */
export async function anonymousGroup(
  sql: Sql,
  realmId: number,
  members: readonly number[],
  subgroups: readonly number[] = [],
): Promise<number> {
  const [row] = await sql.rows<{ id: number }>(
    "INSERT INTO user_group (realm_id) VALUES ($1) RETURNING id",
    [realmId],
  );
  const id = row?.id ?? 0;
  await sql.rows("INSERT INTO user_group_member (group_id, user_id) SELECT $1, unnest($2::int[])", [
    id,
    members,
  ]);
  await sql.rows(
    "INSERT INTO user_group_subgroup (supergroup_id, subgroup_id) SELECT $1, unnest($2::int[])",
    [id, subgroups],
  );
  return id;
}

/**
 * Creates a user group without creator, with default permissions.
 * @returns its id and name
 */
export async function userGroup(
  db: Database,
  realm: { readonly id: number },
  {
    name = unique("group"),
    members = [],
    subgroups = [],
    deactivated = false,
  }: {
    name?: string;
    members?: ReadonlyArray<{ readonly id: number }>;
    subgroups?: readonly number[];
    deactivated?: boolean;
  } = {},
): Promise<{ id: number; name: string }> {
  return db.transaction(async (tx) => {
    const system = await loadSystemGroups(tx, realm.id);
    const ids = members.map((member) => member.id);
    const id = await anonymousGroup(tx, realm.id, ids, subgroups);
    const prisma = await tx.prisma();
    await prisma.namedUserGroup.create({
      data: {
        id,
        realmId: realm.id,
        name,
        deactivated,
        ...groupIds(defaultGroups(groupPermissions, system)),
      },
    });
    return { id, name };
  });
}
