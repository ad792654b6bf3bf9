import {
  channelPermissions,
  groupPermissions,
  type GroupSettingUpdate,
  isAtLeast,
  isGuest,
  type Permission,
  type Permissions,
  realmPermissions,
  roles,
} from "@carillon/contract";
import { notNull, packed, type RowOf, type Sql, statement } from "@carillon/db";

/** The fields of an account that permission checks need. */
export interface PermissionSubject {
  readonly id: number;
  readonly role: number;
  readonly isActive: boolean;
}

/**
 * The transitive group memberships of accounts, including anonymous groups, for all permission checks of a request
 * (user-groups.md §1). Loaded in one query for all accounts.
 */
export class Memberships {
  readonly #direct = new Map<number, number[]>();
  readonly #upward = new Map<number, number[]>();

  /** @internal use {@link loadMemberships} */
  constructor(rows: readonly ClosureRow[]) {
    for (const { from, group, direct } of rows) {
      const map = direct ? this.#direct : this.#upward;
      const groups = map.get(from);
      if (groups) groups.push(group);
      else map.set(from, [group]);
    }
  }

  /** Whether the account is in the group, at any depth. */
  isIn(userId: number, groupId: number): boolean {
    const direct = this.#direct.get(userId);
    if (!direct) return false;
    return direct.some((group) => this.#upward.get(group)?.includes(groupId));
  }

  /**
   * Whether `subject` has the permission whose group is `groupId`; all permission checks use this method. Deactivated
   * accounts have no permissions. Guests have only permissions that may be given to everyone, even if listed.
   */
  holds(subject: PermissionSubject, permission: Permission, groupId: number): boolean {
    if (!subject.isActive) return false;
    if (isGuest(subject) && !permission.allowEveryone) return false;
    return this.isIn(subject.id, groupId);
  }
}

const closureOverrides = { from: notNull, group: notNull };
type ClosureRow = RowOf<typeof closure>;

/**
 * SQL: the recursion starts from the distinct groups of all accounts, so that its cost does not depend on the number of
 * accounts.
 */
const closureOf = (accounts: string) => `WITH RECURSIVE direct AS MATERIALIZED (
    SELECT user_id, group_id FROM user_group_member WHERE user_id = ANY(${accounts})
  ), upward (start, group_id) AS (
    SELECT DISTINCT group_id, group_id FROM direct
    UNION
    SELECT upward.start, edge.supergroup_id
    FROM upward JOIN user_group_subgroup edge ON edge.subgroup_id = upward.group_id
  )
  SELECT user_id AS "from", group_id AS "group", true AS direct FROM direct
  UNION ALL SELECT start, group_id, false FROM upward`;

const closure = statement({
  name: "permission-closure",
  text: closureOf("$1::int[]"),
  overrides: closureOverrides,
});

/** The array is opaque to the planner, so that PostgreSQL can use a generic plan. */
const closureWithOwners = statement({
  name: "permission-closure-owners",
  text: closureOf(`ARRAY(SELECT unnest($1::int[])
      UNION SELECT bot_owner_id FROM users WHERE id = ANY(ARRAY(SELECT unnest($1::int[]))) AND is_bot)`),
  overrides: closureOverrides,
});

/** Loads the memberships of the given accounts. */
export async function loadMemberships(sql: Sql, userIds: readonly number[]): Promise<Memberships> {
  return new Memberships(userIds.length > 0 ? await sql.rows(closure, [userIds]) : []);
}

/** Loads the memberships of the given accounts and of the owners of bots among them. */
export async function loadMembershipsWithOwners(
  sql: Sql,
  userIds: readonly number[],
): Promise<Memberships> {
  return new Memberships(
    userIds.length > 0 ? await sql.rows(closureWithOwners, [packed.ints(userIds)]) : [],
  );
}

/** The objects that have permissions: organization, channel, user group. */
export type PermissionScope = "realm" | "channel" | "group";

/** Where the group settings of a scope are stored: one row for each object, with a column for each permission. */
interface Storage {
  readonly permissions: Permissions;
  readonly table: string;
  /** The column with the row's organization. */
  readonly realmColumn: string;
}

export const scopes = {
  realm: { permissions: realmPermissions, table: "realms", realmColumn: "id" },
  channel: { permissions: channelPermissions, table: "channels", realmColumn: "realm_id" },
  group: { permissions: groupPermissions, table: "named_user_group", realmColumn: "realm_id" },
} as const satisfies Readonly<Record<PermissionScope, Storage>>;

/** The permissions of a scope, by their names in the code. */
export type PermissionOf<Scope extends PermissionScope> =
  keyof (typeof scopes)[Scope]["permissions"];

/** The requested changes of a scope's permissions. */
export type GroupSettingUpdates<Scope extends PermissionScope> = Readonly<
  Partial<Record<PermissionOf<Scope>, GroupSettingUpdate | undefined>>
>;

/** Whether the account is an active administrator or owner. */
export function isOrganizationAdministrator(account: PermissionSubject): boolean {
  return account.isActive && isAtLeast(account, roles.administrator);
}
