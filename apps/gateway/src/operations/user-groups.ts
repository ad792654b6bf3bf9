import * as contract from "@carillon/contract";
import {
  changeComposition,
  createUserGroup,
  deactivateUserGroup,
  readMembers,
  readMembership,
  readSubgroups,
  updateUserGroup,
} from "@carillon/domain";
import { listUserGroups } from "@carillon/model";
import { handle } from "../handle.ts";

export default [
  handle.reads(contract.listUserGroups, async ({ snapshot, input, actor }) => {
    const options = { deactivated: input.include_deactivated_groups };
    return {
      user_groups: await snapshot((sql) => listUserGroups(sql, actor.realmId, options)),
    };
  }),

  handle.changes(contract.createUserGroup, async ({ tx, input, actor }) => {
    const { name, description, members, subgroups } = input;
    const group = {
      name,
      description,
      members,
      subgroups,
      settings: contract.groupSettingsIn(contract.groupPermissions, input),
    };
    return {
      group_id: await createUserGroup(tx, actor, group),
    };
  }),

  handle.changes(contract.updateUserGroup, async ({ tx, path, input, actor }) => {
    const { name, description, deactivated } = input;
    const changes = {
      name,
      description,
      deactivated,
      settings: contract.groupSettingsIn(contract.groupPermissions, input),
    };
    await updateUserGroup(tx, actor, path.user_group_id, changes);
  }),

  handle.changes(contract.deactivateUserGroup, async ({ tx, path, actor }) => {
    await deactivateUserGroup(tx, actor, path.user_group_id);
  }),

  handle.changes(contract.removeUserGroup, async ({ tx, path, actor }) => {
    await deactivateUserGroup(tx, actor, path.user_group_id);
  }),

  handle.reads(contract.getUserGroupMembership, async ({ snapshot, path, input, actor }) => {
    const options = { directOnly: input.direct_member_only };
    return {
      is_user_group_member: await snapshot((sql) =>
        readMembership(sql, actor, path.user_group_id, path.user_id, options),
      ),
    };
  }),

  handle.reads(contract.listUserGroupMembers, async ({ snapshot, path, input, actor }) => {
    const options = { directOnly: input.direct_member_only };
    return {
      members: await snapshot((sql) => readMembers(sql, actor, path.user_group_id, options)),
    };
  }),

  handle.changes(contract.updateUserGroupMembers, async ({ tx, path, input, actor }) => {
    const composition = {
      add: input.add,
      delete: input.delete,
      addSubgroups: input.add_subgroups,
      deleteSubgroups: input.delete_subgroups,
    };
    await changeComposition(tx, actor, path.user_group_id, composition);
  }),

  handle.reads(contract.listUserGroupSubgroups, async ({ snapshot, path, input, actor }) => {
    const options = { directOnly: input.direct_subgroup_only };
    return {
      subgroups: await snapshot((sql) => readSubgroups(sql, actor, path.user_group_id, options)),
    };
  }),

  handle.changes(contract.updateUserGroupSubgroups, async ({ tx, path, input, actor }) => {
    const composition = {
      add: [],
      delete: [],
      addSubgroups: input.add,
      deleteSubgroups: input.delete,
    };
    await changeComposition(tx, actor, path.user_group_id, composition);
  }),
];
