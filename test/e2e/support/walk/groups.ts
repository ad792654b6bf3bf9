import {
  createUserGroup,
  deactivateUserGroup,
  updateUserGroup,
  updateUserGroupMembers,
  updateUserGroupSubgroups,
  groupPermissions,
} from "@carillon/contract";
import { unique } from "@carillon/testkit";

import {
  groupValue,
  idsOf,
  maybe,
  pick,
  some,
  someone,
  someoneInCharge,
  step,
  type Walk,
  type WalkStep,
} from "./walk.ts";

const settings = Object.values(groupPermissions).map(({ name }) => name);

/** A change of one of the walk's groups. */
function change(walk: Walk, params?: Readonly<Record<string, unknown>>) {
  if (walk.groups.length === 0) return undefined;
  const path = { user_group_id: pick(walk, walk.groups) };
  return { by: someoneInCharge(walk), path, ...(params ? { params } : {}) };
}

/** Steps of user groups: members, permissions, deactivation. */
export const groupSteps: readonly WalkStep[] = [
  step(createUserGroup, 2, (walk) => {
    const members = idsOf(some(walk, walk.accounts));
    const subgroups = some(walk, walk.groups);
    const params = { name: unique("group"), description: "", members, subgroups };
    const onSuccess = (made: Readonly<Record<string, unknown>>) =>
      void walk.groups.push(made["group_id"] as number);
    return { by: someone(walk), params, onSuccess };
  }),
  step(updateUserGroup, 4, (walk) =>
    change(
      walk,
      pick(walk, [
        { name: unique("renamed"), description: unique("text") },
        { deactivated: false },
        { deactivated: false, name: unique("back") },
        { [pick(walk, settings)]: { new: groupValue(walk) } },
        { [pick(walk, settings)]: { new: groupValue(walk) } },
      ]),
    ),
  ),
  step(deactivateUserGroup, 2, (walk) => change(walk)),
  step(updateUserGroupMembers, 3, (walk) => {
    const ids = idsOf(some(walk, walk.accounts));
    return change(walk, maybe(walk) ? { add: ids } : { delete: ids });
  }),
  step(updateUserGroupSubgroups, 2, (walk) => {
    const ids = some(walk, walk.groups);
    return change(walk, maybe(walk) ? { add: ids } : { delete: ids });
  }),
];
