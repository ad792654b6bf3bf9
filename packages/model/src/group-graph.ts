import { type NamedStatement, type RowOf, type Sql, statement, type Tx, typed } from "@carillon/db";

import {
  loadMemberships,
  type Memberships,
  type PermissionSubject,
} from "./permissions/memberships.ts";

// The statements walk the group graph upward or downward. UNION visits each group once, even if several paths lead to it.
const overrides = { ids: typed<number[]>() };

const upward = statement({
  name: "group-supergroups",
  text: `WITH RECURSIVE above (id) AS (
      SELECT $1::int
      UNION SELECT s.supergroup_id FROM above JOIN user_group_subgroup s ON s.subgroup_id = above.id
    )
    SELECT coalesce(json_agg(id), '[]') AS ids FROM above`,
  overrides,
});

const below = `WITH RECURSIVE below (id) AS (
    SELECT unnest($1::int[])
    UNION SELECT s.subgroup_id FROM below JOIN user_group_subgroup s ON s.supergroup_id = below.id
  )`;

const members = statement({
  name: "group-members",
  text: `${below}
    SELECT coalesce(json_agg(DISTINCT m.user_id ORDER BY m.user_id), '[]') AS ids
    FROM below JOIN user_group_member m ON m.group_id = below.id JOIN users u ON u.id = m.user_id AND u.is_active`,
  overrides,
});

const subgroups = statement({
  name: "group-subgroups",
  text: `${below} SELECT coalesce(json_agg(id ORDER BY id), '[]') AS ids FROM below WHERE NOT id = ANY($1::int[])`,
  overrides,
});

/** Loads the group itself and all groups that contain it, at any depth, including anonymous ones. */
export function loadSupergroups(sql: Sql, groupId: number): Promise<number[]> {
  return ids(sql, upward, groupId);
}

/** Loads the active accounts in the groups, directly or through subgroups, ascending. */
export function loadAllMembers(sql: Sql, groupIds: readonly number[]): Promise<number[]> {
  return ids(sql, members, groupIds);
}

/** Loads the subgroups of the group, at any depth, ascending. */
export function loadAllSubgroups(sql: Sql, groupId: number): Promise<number[]> {
  return ids(sql, subgroups, [groupId]);
}

async function ids(
  sql: Sql,
  closure: NamedStatement<RowOf<typeof upward>>,
  from: unknown,
): Promise<number[]> {
  const [found] = await sql.rows(closure, [from]);
  return found?.ids ?? [];
}

/** Accounts with the same role and the same direct groups, and so with the same permissions. */
interface PermissionClass {
  readonly representative: PermissionSubject;
  readonly userIds: readonly number[];
}

interface PermissionClasses {
  readonly classes: readonly PermissionClass[];
  /** Memberships of the representatives. */
  readonly memberships: Memberships;
}

const classesOf = statement({
  name: "alike-accounts",
  text: `WITH own AS (
      SELECT u.id, u.role, array_agg(m.group_id ORDER BY m.group_id) AS groups
      FROM users u LEFT JOIN user_group_member m ON m.user_id = u.id
      WHERE u.realm_id = $1 AND u.id = ANY($2::int[]) AND u.is_active
      GROUP BY u.id
    )
    SELECT role, json_agg(id ORDER BY id) AS "userIds" FROM own GROUP BY role, groups`,
  overrides: { userIds: typed<number[]>() },
});

/**
 * Groups the active accounts into classes of equal permissions: ten thousand members of one group form a few classes.
 */
export async function loadPermissionClasses(
  tx: Tx,
  realmId: number,
  userIds: readonly number[],
): Promise<PermissionClasses> {
  const rows = await tx.rows(classesOf, [realmId, userIds]);
  const classes = rows.map((row) => ({
    representative: { id: row.userIds[0] ?? 0, role: row.role, isActive: true },
    userIds: row.userIds,
  }));
  return {
    classes,
    memberships: await loadMemberships(
      tx,
      classes.map(({ representative }) => representative.id),
    ),
  };
}
