import {
  type Account,
  type ProposedGroupSetting,
  type SystemGroupIds,
  canonicalGroupValue,
  checkGroupName,
  checkGroupSettings,
  checkNameIsUnused,
  currentActor,
  groupEvents,
  loadActiveAccounts,
  loadMemberships,
  loadRealm,
  loadSystemGroups,
  loadUserGroup,
  lockGroupGraph,
  storeGroupSetting,
} from "@carillon/model";
import {
  errors,
  type GroupPermission,
  type GroupSettingValue,
  type Permission,
  groupPermissions,
  realmPermissions,
} from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { checkSubgroups, insertSubgroups, subgroupAudit } from "./change-subgroups.ts";
import { tell } from "./told.ts";

export interface NewUserGroup {
  readonly name: string;
  readonly description: string;
  /** Ids of accounts. */
  readonly members: readonly number[];
  /** Ids of groups. */
  readonly subgroups: readonly number[];
  readonly settings: Readonly<Partial<Record<GroupPermission, GroupSettingValue | undefined>>>;
}

type Values = ReadonlyArray<{ readonly name: string; readonly value: GroupSettingValue }>;

/**
 * Creates a user group (user-groups.md §5.4). Its creator is a member only if listed.
 * @returns its id
 * @throws ApiError `BAD_REQUEST`; nothing is created then
 */
export async function createUserGroup(
  tx: Tx,
  actor: Account,
  asked: NewUserGroup,
): Promise<number> {
  const [, now, realm, memberships, systemGroups] = await Promise.all([
    lockGroupGraph(tx, actor.realmId),
    currentActor(tx, actor),
    loadRealm(tx, actor.realmId),
    loadMemberships(tx, [actor.id]),
    loadSystemGroups(tx, actor.realmId),
  ]);
  if (!memberships.holds(now, realmPermissions.canCreateGroups, realm.groups.canCreateGroups))
    throw errors.badRequest("You may not create user groups");
  const members = await loadActiveAccounts(tx, realm.id, asked.members);
  checkGroupName(asked.name);
  const values = await checkSettings(tx, actor, systemGroups, asked.settings);
  await checkNameIsUnused(tx, realm.id, asked.name);
  const subgroups = [...new Set(asked.subgroups)].sort((a, b) => a - b);
  await checkSubgroups(tx, realm.id, subgroups);

  const id = await insert(tx, actor, asked, values);
  const userIds = members.map((member) => member.id);
  await tx.rows("INSERT INTO user_group_member (group_id, user_id) SELECT $1, unnest($2::int[])", [
    id,
    userIds,
  ]);
  const group = await loadUserGroup(tx, realm.id, id);
  await insertSubgroups(tx, id, subgroups);
  tell(tx, actor, id, [
    {
      events: [groupEvents.added(group), ...groupEvents.subgroupsAdded(group, subgroups)],
      audit: [
        { type: "user_group_created" },
        ...userIds.map((userId) => ({ type: "user_group_member_added" as const, userId })),
        ...subgroupAudit("user_group_subgroup_added", subgroups),
      ],
    },
  ]);
  return id;
}

/** The value of every setting: what was asked for, checked, and the defaults. */
async function checkSettings(
  tx: Tx,
  actor: Account,
  systemGroups: SystemGroupIds,
  asked: NewUserGroup["settings"],
): Promise<Values> {
  const proposed: ProposedGroupSetting[] = [];
  const values = Object.entries<Permission>(groupPermissions).map(([key, permission]) => {
    const given = asked[key as GroupPermission];
    if (given === undefined)
      return { name: permission.name, value: initial(permission, actor, systemGroups) };
    const value = canonicalGroupValue(given, systemGroups["role:nobody"]);
    proposed.push({ permission, value });
    return { name: permission.name, value };
  });
  await checkGroupSettings(tx, actor.realmId, proposed);
  return values;
}

function initial(
  permission: Permission,
  creator: Account,
  systemGroups: SystemGroupIds,
): GroupSettingValue {
  return permission.default === "creator"
    ? { direct_members: [creator.id], direct_subgroups: [] }
    : systemGroups[permission.default];
}

async function insert(
  tx: Tx,
  creator: Account,
  { name, description }: NewUserGroup,
  values: Values,
): Promise<number> {
  const { realmId } = creator;
  const holders = await Promise.all(
    values.map(({ value }) => storeGroupSetting(tx, realmId, value)),
  );
  const group = await tx.first<{ id: number }>(
    `WITH own AS (INSERT INTO user_group (realm_id) VALUES ($1) RETURNING id)
     INSERT INTO named_user_group (id, realm_id, name, description, creator_id, date_created,
       ${values.map((each) => `${each.name}_id`).join(", ")})
     SELECT own.id, $1::int, $2, $3, $4::int, now(), ${values.map((_, i) => `$${i + 5}::int`).join(", ")}
     FROM own RETURNING id`,
    [realmId, name, description, creator.id, ...holders],
  );
  if (!group) throw new Error("the user group was not inserted");
  return group.id;
}
