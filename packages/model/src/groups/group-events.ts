import {
  type Audience,
  type LoggedFields,
  type NewEvent,
  userGroupAdded,
  userGroupMembersAdded,
  userGroupMembersRemoved,
  userGroupSubgroupsAdded,
  userGroupSubgroupsRemoved,
  userGroupUpdated,
  type UserGroupObject,
} from "@carillon/contract";

/** What is said of a group in every event. */
interface ToldGroup {
  readonly id: number;
  /** Before the change and after it. */
  readonly deactivated: boolean;
}

/** What everybody is told of user groups (events.md §4); nothing where a list is empty. */
export const groupEvents = {
  added: (group: UserGroupObject): NewEvent => userGroupAdded({ group, ...mark(group) }),
  updated: (group: ToldGroup, data: LoggedFields<typeof userGroupUpdated>["data"]): NewEvent =>
    userGroupUpdated({ group_id: group.id, data, ...mark(group) }),
  /** Back again; with the whole group for clients that did not have it. */
  reactivated: (group: UserGroupObject): NewEvent =>
    userGroupUpdated({ group_id: group.id, data: { deactivated: false }, group }),
  membersAdded: (group: ToldGroup, user_ids: readonly number[]): NewEvent[] =>
    unlessEmpty(user_ids, () =>
      userGroupMembersAdded({ group_id: group.id, user_ids, ...mark(group) }),
    ),
  membersRemoved: (
    group: ToldGroup,
    user_ids: readonly number[],
    audience: Audience = null,
  ): NewEvent[] =>
    unlessEmpty(user_ids, () =>
      userGroupMembersRemoved({ group_id: group.id, user_ids, ...mark(group) }, { audience }),
    ),
  subgroupsAdded: (group: ToldGroup, direct_subgroup_ids: readonly number[]): NewEvent[] =>
    unlessEmpty(direct_subgroup_ids, () =>
      userGroupSubgroupsAdded({ group_id: group.id, direct_subgroup_ids, ...mark(group) }),
    ),
  subgroupsRemoved: (group: ToldGroup, direct_subgroup_ids: readonly number[]): NewEvent[] =>
    unlessEmpty(direct_subgroup_ids, () =>
      userGroupSubgroupsRemoved({ group_id: group.id, direct_subgroup_ids, ...mark(group) }),
    ),
};

function mark({ deactivated }: ToldGroup): { deactivated?: true } {
  return deactivated ? { deactivated: true } : {};
}

function unlessEmpty(ids: readonly number[], make: () => NewEvent): NewEvent[] {
  return ids.length > 0 ? [make()] : [];
}
