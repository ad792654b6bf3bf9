import {
  checkGroupDescription,
  checkGroupName,
  checkNameIsUnused,
  groupEvents,
  loadUserGroup,
} from "@carillon/model";
import type { Tx } from "@carillon/db";

import type { OpenGroup } from "./open-group.ts";
import type { Told } from "./told.ts";

export interface GroupDetails {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** False brings a group back; true does nothing. */
  readonly deactivated?: boolean | undefined;
}

/**
 * Changes what a group says of itself, and brings it back when asked to. What is as it should be already is neither
 * checked nor told.
 * @throws ApiError `BAD_REQUEST` for the name or the description
 */
export async function changeDetails(
  tx: Tx,
  { realm, group }: OpenGroup,
  wanted: GroupDetails,
): Promise<Told> {
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

/** For clients that did not have the group, with the whole of it. */
async function reactivation(tx: Tx, realmId: number, groupId: number) {
  return groupEvents.reactivated(await loadUserGroup(tx, realmId, groupId));
}
