import {
  type Account,
  checkCreationBound,
  checkGroupDescription,
  checkGroupName,
  checkNameIsUnused,
  columnsOf,
  creationKinds,
  currentActor,
  groupEvents,
  loadActiveAccounts,
  loadMemberships,
  loadRealm,
  loadSystemGroups,
  loadUserGroup,
  lockGroupGraph,
  newGroupSettings,
  storeNewGroupSettings,
  loadAfter,
} from "@carillon/model";
import {
  errors,
  type GroupPermission,
  type GroupSettingValue,
  groupPermissions,
  realmPermissions,
} from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";

import { checkSubgroups, insertSubgroups, subgroupAudit, insertMembers } from "./composition.ts";
import { recordAndEmit } from "./open-group.ts";

export interface NewUserGroup {
  readonly name: string;
  readonly description: string;
  /** Ids of accounts. */
  readonly members: readonly number[];
  /** Ids of groups. */
  readonly subgroups: readonly number[];
  readonly settings: Readonly<Partial<Record<GroupPermission, GroupSettingValue | undefined>>>;
}

const columns = columnsOf(groupPermissions);

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
  const { now, realm, memberships, systemGroups } = await loadAfter(
    lockGroupGraph(tx, actor.realmId),
    {
      now: currentActor(tx, actor),
      realm: loadRealm(tx, actor.realmId),
      memberships: loadMemberships(tx, [actor.id]),
      systemGroups: loadSystemGroups(tx, actor.realmId),
    },
  );
  if (!memberships.holds(now, realmPermissions.canCreateGroups, realm.groups.canCreateGroups))
    throw errors.badRequest("You may not create user groups");
  const members = await loadActiveAccounts(tx, realm.id, asked.members);
  checkGroupName(asked.name);
  checkGroupDescription(asked.description);
  const settings = await newGroupSettings(tx, realm.id, groupPermissions, asked.settings, {
    creatorId: actor.id,
    systemGroups,
  });
  await checkNameIsUnused(tx, realm.id, asked.name);
  const subgroups = [...new Set(asked.subgroups)].sort((a, b) => a - b);
  await checkSubgroups(tx, realm.id, subgroups);

  await checkCreationBound(tx, creationKinds.userGroups, now, 1);
  const id = await insert(tx, actor, asked, settings);
  const userIds = members.map((member) => member.id);
  await tx.rows(insertMembers, [id, userIds]);
  const group = await loadUserGroup(tx, realm.id, id);
  await insertSubgroups(tx, id, subgroups);
  recordAndEmit(tx, actor, id, [
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

const insertGroup = statement({
  name: "insert-user-group",
  text: `WITH own AS (INSERT INTO user_group (realm_id) VALUES ($1) RETURNING id)
    INSERT INTO named_user_group (id, realm_id, name, description, creator_id, date_created, ${columns.join(", ")})
    SELECT own.id, $1::int, $2, $3, $4::int, now(), ${columns.map((_, i) => `$${i + 5}::int`).join(", ")}
    FROM own RETURNING id`,
});

async function insert(
  tx: Tx,
  creator: Account,
  { name, description }: NewUserGroup,
  settings: Readonly<Record<GroupPermission, GroupSettingValue>>,
): Promise<number> {
  const { realmId } = creator;
  const [groups] = await storeNewGroupSettings(tx, realmId, settings, 1);
  const values = [realmId, name, description, creator.id, ...Object.values(groups ?? {})];
  const group = await tx.first(insertGroup, values);
  if (!group) throw new Error("the user group was not inserted");
  return group.id;
}
