import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import {
  type Account,
  changeGroupSettings,
  checkGroupDescription,
  checkGroupName,
  checkNameIsUnused,
  groupEvents,
  type GroupSettingUpdates,
  loadUserGroup,
} from "@carillon/model";

import {
  checkIsNoSystemGroup,
  checkManages,
  findObjections,
  openGroup,
  type OpenGroup,
  recordAndEmit,
  type GroupChange,
} from "./open-group.ts";

interface UserGroupChanges extends GroupDetails {
  readonly settings: GroupSettingUpdates<"group">;
}

/**
 * Changes a user group, which may be deactivated (user-groups.md §5.2). Checks once, before any change, that the actor
 * manages it.
 * @throws ApiError `BAD_REQUEST`, `EXPECTATION_MISMATCH`; nothing has changed then
 */
export async function updateUserGroup(
  tx: Tx,
  actor: Account,
  groupId: number,
  changes: UserGroupChanges,
): Promise<void> {
  const { settings, ...details } = changes;
  const given = [...Object.values(details), ...Object.values(settings)];
  if (given.every((value) => value === undefined))
    throw errors.badRequest(
      "Nothing to change: send name, description, deactivated or a permission",
    );
  const open = await openGroup(tx, actor, groupId);
  checkIsNoSystemGroup(open);
  checkManages(open);
  const deactivated = open.group.deactivated && details.deactivated !== false;
  recordAndEmit(tx, actor, groupId, [
    await changeDetails(tx, open, details),
    await changeSettings(tx, open, settings, deactivated),
  ]);
}

interface GroupDetails {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** False reactivates the group; true has no effect. */
  readonly deactivated?: boolean | undefined;
}

/**
 * Changes the name and description, and reactivates the group if requested. Fields that already have the requested
 * value are neither checked nor sent.
 * @throws ApiError `BAD_REQUEST` for the name or the description
 */
async function changeDetails(
  tx: Tx,
  { realm, group }: OpenGroup,
  wanted: GroupDetails,
): Promise<GroupChange> {
  const { name = group.name, description = group.description } = wanted;
  const renamed = name !== group.name;
  const described = description !== group.description;
  const reactivated = group.deactivated && wanted.deactivated === false;
  if (!renamed && !described && !reactivated) return { events: [], audit: [] };
  if (renamed) {
    checkGroupName(name);
    await checkNameIsUnused(tx, realm.id, name);
  }
  if (described) checkGroupDescription(description);
  const prisma = await tx.prisma();
  await prisma.namedUserGroup.update({
    where: { id: group.id },
    data: { name, description, deactivated: group.deactivated && !reactivated },
    select: { id: true },
  });
  const update = (data: { name: string } | { description: string }) =>
    groupEvents.updated(group, data);
  return {
    events: [
      ...(renamed ? [update({ name })] : []),
      ...(described ? [update({ description })] : []),
      ...(reactivated ? [await reactivation(tx, realm.id, group.id)] : []),
    ],
    audit: [
      ...(renamed
        ? [{ type: "user_group_renamed" as const, data: { old: group.name, new: name } }]
        : []),
      ...(described
        ? [
            {
              type: "user_group_description_changed" as const,
              data: { old: group.description, new: description },
            },
          ]
        : []),
      ...(reactivated ? [{ type: "user_group_reactivated" as const }] : []),
    ],
  };
}

/** Contains the whole group, for clients that did not have it. */
async function reactivation(tx: Tx, realmId: number, groupId: number) {
  return groupEvents.reactivated(await loadUserGroup(tx, realmId, groupId));
}

/**
 * Sets permissions of a group (user-groups.md §3).
 * @param deactivated whether the group is deactivated after the change
 * @throws ApiError `EXPECTATION_MISMATCH`, `BAD_REQUEST`
 */
async function changeSettings(
  tx: Tx,
  { realm, group: { id, groups } }: OpenGroup,
  updates: GroupSettingUpdates<"group">,
  deactivated: boolean,
): Promise<GroupChange> {
  const changes = await changeGroupSettings(tx, realm.id, { scope: "group", id, groups }, updates);
  return {
    events: changes.map(({ name, value }) =>
      groupEvents.updated({ id, deactivated }, { [name]: value }),
    ),
    audit: changes.map(({ name, before, value }) => ({
      type: "user_group_setting_changed",
      data: { setting: name, old: before, new: value },
    })),
  };
}

/**
 * Deactivates an unused user group (user-groups.md §5.3); its members, subgroups and settings stay. Uses are searched
 * under the lock, because requests that add a use hold the lock too.
 * @throws ApiError `BAD_REQUEST`, `CANNOT_DEACTIVATE_GROUP_IN_USE`
 */
export async function deactivateUserGroup(tx: Tx, actor: Account, groupId: number): Promise<void> {
  const open = await openGroup(tx, actor, groupId);
  if (open.group.deactivated) throw errors.badRequest("The user group is deactivated already");
  checkIsNoSystemGroup(open);
  checkManages(open);
  const objections = await findObjections(tx, actor.realmId, groupId);
  if (objections.length > 0) throw errors.cannotDeactivateGroupInUse(objections);
  const prisma = await tx.prisma();
  await prisma.namedUserGroup.update({
    where: { id: groupId },
    data: { deactivated: true },
    select: { id: true },
  });
  recordAndEmit(tx, actor, groupId, [
    {
      events: [groupEvents.updated(open.group, { deactivated: true })],
      audit: [{ type: "user_group_deactivated" }],
    },
  ]);
}
