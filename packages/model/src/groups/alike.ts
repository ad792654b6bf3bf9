import { column, statement, type Tx } from "@carillon/db";

import {
  loadMemberships,
  type Memberships,
  type PermissionSubject,
} from "../permissions/memberships.ts";

/** Accounts of one role that are direct members of the same groups: every permission treats them alike. */
export interface AlikeAccounts {
  /** One of them. */
  readonly one: PermissionSubject;
  readonly userIds: readonly number[];
}

export interface Alike {
  readonly classes: readonly AlikeAccounts[];
  /** Those of the one in each class. */
  readonly memberships: Memberships;
}

const classes = statement({
  name: "alike-accounts",
  text: `WITH own AS (
      SELECT u.id, u.role, array_agg(m.group_id ORDER BY m.group_id) AS groups
      FROM users u LEFT JOIN user_group_member m ON m.user_id = u.id
      WHERE u.realm_id = $1 AND u.id = ANY($2::int[]) AND u.is_active
      GROUP BY u.id
    )
    SELECT role, json_agg(id ORDER BY id) AS "userIds" FROM own GROUP BY role, groups`,
  row: { role: column.int, userIds: column.json<number[]>() },
});

/** The active ones of the accounts, by classes: ten thousand members of one group are a handful of them. */
export async function loadAlike(
  tx: Tx,
  realmId: number,
  userIds: readonly number[],
): Promise<Alike> {
  const rows = await tx.rows(classes, [realmId, userIds]);
  const alike = rows.map((row) => ({
    one: { id: row.userIds[0] ?? 0, role: row.role, isActive: true },
    userIds: row.userIds,
  }));
  return {
    classes: alike,
    memberships: await loadMemberships(
      tx,
      alike.map(({ one }) => one.id),
    ),
  };
}
