import {
  errors,
  type GroupPermission,
  groupPermissions,
  type NewEvent,
  type Permission,
  realmPermissions,
} from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  type AuditEntry,
  columnsOf,
  currentActor,
  findUserGroup,
  loadMemberships,
  loadRealm,
  lockGroupGraph,
  type Memberships,
  type PermissionScope,
  type Realm,
  recordAudit,
  scopes,
  type UserGroup,
  loadAfter,
} from "@carillon/model";

/** A locked group to change, with the facts for permission checks. */
export interface OpenGroup {
  readonly actor: Account;
  readonly realm: Realm;
  readonly group: UserGroup;
  /** Memberships of the actor. */
  readonly memberships: Memberships;
}

/**
 * Takes the locks for a change of the group, then reads it, so that a second request sees the changes of the first.
 * @throws ApiError `BAD_REQUEST` if the organization has no such group, `UNAUTHORIZED` if the actor is no longer active
 */
export async function openGroup(tx: Tx, actor: Account, groupId: number): Promise<OpenGroup> {
  const { group, now, realm, memberships } = await loadAfter(lockGroupGraph(tx, actor.realmId), {
    group: findUserGroup(tx, actor.realmId, groupId),
    now: currentActor(tx, actor),
    realm: loadRealm(tx, actor.realmId),
    memberships: loadMemberships(tx, [actor.id]),
  });
  if (!group) throw noSuchGroup();
  return { actor: now, realm, group, memberships };
}

/** The error for an unknown group id. */
export function noSuchGroup() {
  return errors.badRequest("There is no such user group");
}

/**
 * Rejects changes of system groups, which follow the roles.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkIsNoSystemGroup({ group }: OpenGroup): void {
  if (group.isSystemGroup) throw errors.badRequest("System groups cannot be changed");
}

/**
 * Checks that the actor manages the group.
 * @throws ApiError `BAD_REQUEST` if not
 */
export function checkManages(open: OpenGroup): void {
  if (!manages(open)) throw errors.badRequest("You may not manage this user group");
}

/** Whether the actor manages this group or all groups, by permissions only; roles do not matter (user-groups.md §4). */
export function manages(open: OpenGroup): boolean {
  const { actor, realm, memberships } = open;
  const { canManageAllGroups } = realmPermissions;
  return (
    memberships.holds(actor, canManageAllGroups, realm.groups.canManageAllGroups) ||
    holds(open, "canManageGroup")
  );
}

/** Whether the actor may add any members to the group. */
export function mayAddMembers(open: OpenGroup): boolean {
  return manages(open) || holds(open, "canAddMembersGroup");
}

/** Whether the actor has the group's permission. */
export function holds(
  { actor, group, memberships }: OpenGroup,
  permission: GroupPermission,
): boolean {
  return memberships.holds(actor, groupPermissions[permission], group.groups[permission]);
}

/**
 * A use that prevents a group's deactivation, in the wire format (user-groups.md §5.3); `settings` is always present.
 */
type Objection =
  | { type: "subgroup"; supergroup_ids: number[]; settings: [] }
  | { type: "channel"; channel_id: number; settings: string[] }
  | { type: "user_group"; group_id: number; settings: string[] }
  | { type: "realm"; settings: string[] };

interface Use {
  readonly id: number;
  readonly settings: string[];
}

const directSupergroups = statement({
  name: "direct-supergroups",
  text: `SELECT s.supergroup_id AS id, n.id IS NOT NULL AS "isNamed", n.deactivated IS FALSE AS "isActive"
    FROM user_group_subgroup s LEFT JOIN named_user_group n ON n.id = s.supergroup_id
    WHERE s.subgroup_id = $1 ORDER BY s.supergroup_id`,
});

/**
 * Finds all uses of the group: active groups that contain it directly, and permissions set to it or to an anonymous
 * group that contains it. Archived and deactivated objects do not count.
 */
export async function findObjections(
  tx: Tx,
  realmId: number,
  groupId: number,
): Promise<Objection[]> {
  const above = await tx.rows(directSupergroups, [groupId]);
  const sets = above.filter(({ isNamed }) => !isNamed).map(({ id }) => id);
  const [channels, groups, realms] = await findUses(tx, realmId, [groupId, ...sets]);
  const supergroups = above.filter(({ isActive }) => isActive).map(({ id }) => id);
  return [
    ...(supergroups.length > 0
      ? [{ type: "subgroup" as const, supergroup_ids: supergroups, settings: [] as [] }]
      : []),
    ...channels.map(({ id, settings }) => ({ type: "channel" as const, channel_id: id, settings })),
    ...groups.map(({ id, settings }) => ({ type: "user_group" as const, group_id: id, settings })),
    ...realms.map(({ settings }) => ({ type: "realm" as const, settings })),
  ];
}

const scopesInOrder = ["channel", "group", "realm"] as const;

/** SQL: the objects of each scope that count. */
const inUse: Readonly<Record<PermissionScope, string>> = {
  channel: "NOT is_archived",
  group: "NOT deactivated",
  realm: "true",
};

const uses = scopesInOrder.map((scope) => {
  const { permissions, table, realmColumn } = scopes[scope];
  const groups = `ARRAY[${columnsOf(permissions).join(", ")}]`;
  return {
    names: Object.values<Permission>(permissions).map(({ name }) => name),
    statement: statement({
      name: `group-uses-${scope}`,
      text: `SELECT id, ${groups} AS groups FROM ${table}
        WHERE ${realmColumn} = $1 AND ${inUse[scope]} AND ${groups} && $2::int[] ORDER BY id`,
    }),
  };
});

/** Finds the objects with permissions set to one of these groups, with the names of the permissions. */
async function findUses(
  tx: Tx,
  realmId: number,
  groupIds: readonly number[],
): Promise<[channels: Use[], groups: Use[], realms: Use[]]> {
  const among = new Set(groupIds);
  const found = await Promise.all(
    uses.map(async ({ names, statement: inScope }) => {
      const rows = await tx.rows(inScope, [realmId, groupIds]);
      return rows.map(({ id, groups }) => ({
        id,
        settings: names.filter((_, i) => among.has(groups[i] ?? 0)),
      }));
    }),
  );
  const [channels = [], groups = [], realms = []] = found;
  return [channels, groups, realms];
}

/** An audit log entry of a group. */
export interface GroupAudit extends AuditEntry {
  readonly type: `user_group_${string}`;
}

/** The events and audit entries of a change. */
export interface GroupChange {
  /** In the order of the changes. */
  readonly events: readonly NewEvent[];
  readonly audit: readonly GroupAudit[];
}

/** Records and emits the events and audit entries of a change's parts. */
export function recordAndEmit(
  tx: Tx,
  actor: Account,
  groupId: number,
  parts: readonly GroupChange[],
): void {
  const audit = parts.flatMap((part) => part.audit);
  recordAudit(
    tx,
    actor.realmId,
    actor.id,
    audit.map((entry) => ({ ...entry, data: { group_id: groupId, ...entry.data } })),
  );
  emit(
    tx,
    actor.realmId,
    parts.flatMap((part) => part.events),
  );
}
