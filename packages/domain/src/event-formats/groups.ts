import {
  userGroupAdded,
  type userGroupMembersAdded,
  type userGroupMembersRemoved,
  userGroupRemoved,
  type userGroupSubgroupsAdded,
  type userGroupSubgroupsRemoved,
  type userGroupUpdated,
} from "@carillon/contract";
import type { Format } from "./delivery.ts";

type GroupChange =
  | typeof userGroupAdded
  | typeof userGroupMembersAdded
  | typeof userGroupMembersRemoved
  | typeof userGroupSubgroupsAdded
  | typeof userGroupSubgroupsRemoved;

/** `user_group`: what happens to a deactivated group is told only to clients that know such groups. */
export const formatGroupChange: Format<GroupChange> = (delivery) => {
  const { deactivated, ...fields } = delivery.fields;
  return deactivated && !delivery.has("include_deactivated_groups") ? [] : [delivery.tell(fields)];
};

/**
 * `user_group/update`: for clients that do not know deactivated groups, deactivation is the group's end and
 * reactivation a new group.
 */
export const formatGroupUpdate: Format<typeof userGroupUpdated> = (delivery) => {
  const { group, deactivated, ...fields } = delivery.fields;
  if (delivery.has("include_deactivated_groups")) return [delivery.tell(fields)];
  const change = fields.data.deactivated;
  if (change === undefined) return deactivated ? [] : [delivery.tell(fields)];
  if (change) return [delivery.tellAs(userGroupRemoved, { group_id: fields.group_id })];
  return group ? [delivery.tellAs(userGroupAdded, { group })] : [];
};
