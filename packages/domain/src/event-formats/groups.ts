import {
  userGroupAdded,
  type userGroupMembersAdded,
  type userGroupMembersRemoved,
  userGroupRemoved,
  type userGroupSubgroupsAdded,
  type userGroupSubgroupsRemoved,
  type userGroupUpdated,
} from "@carillon/contract";
import type { Format } from "./outgoing-event.ts";

type GroupChange =
  | typeof userGroupAdded
  | typeof userGroupMembersAdded
  | typeof userGroupMembersRemoved
  | typeof userGroupSubgroupsAdded
  | typeof userGroupSubgroupsRemoved;

/** `user_group`: what happens to a deactivated group is told only to clients that know such groups. */
export const formatGroupChange: Format<GroupChange> = (outgoing) => {
  const { deactivated, ...fields } = outgoing.fields;
  return deactivated && !outgoing.has("include_deactivated_groups") ? [] : [outgoing.tell(fields)];
};

/**
 * `user_group/update`: for clients that do not know deactivated groups, deactivation is the group's end and
 * reactivation a new group.
 */
export const formatGroupUpdate: Format<typeof userGroupUpdated> = (outgoing) => {
  const { group, deactivated, ...fields } = outgoing.fields;
  if (outgoing.has("include_deactivated_groups")) return [outgoing.tell(fields)];
  const change = fields.data.deactivated;
  if (change === undefined) return deactivated ? [] : [outgoing.tell(fields)];
  if (change) return [outgoing.tellAs(userGroupRemoved, { group_id: fields.group_id })];
  return group ? [outgoing.tellAs(userGroupAdded, { group })] : [];
};
