import { createUserGroup, listUserGroups, type UserGroupObject } from "@carillon/contract";
import type { Database } from "@carillon/db";
import { unique } from "./factories/unique.ts";
import type { TestAccount } from "./factories/account.ts";
import type { Gateway } from "./gateway.ts";
import type { Params } from "./gateway-client.ts";

/**
 * Creates a user group over HTTP, without members by default.
 * @returns its id
 */
export async function newGroup(
  gateway: Gateway,
  creator: TestAccount,
  params: Params = {},
): Promise<number> {
  const { group_id } = await gateway.as(creator).succeed(createUserGroup, {
    params: { name: unique("group"), description: "", members: [], ...params },
  });
  return group_id;
}

/** The group object for the viewer, deactivated or not. */
export async function readGroup(
  gateway: Gateway,
  viewer: TestAccount,
  groupId: number,
): Promise<UserGroupObject> {
  const { user_groups } = await gateway.as(viewer).succeed(listUserGroups, {
    params: { include_deactivated_groups: true },
  });
  const group = user_groups.find(({ id }) => id === groupId);
  if (!group) throw new Error(`${viewer.fullName} does not see the group ${groupId}`);
  return group;
}

/** Returns all state that user group operations may change, for comparison. */
export async function groupState(db: Database): Promise<object> {
  const [named, groups, members, edges, rest] = await Promise.all([
    db.rows("SELECT * FROM named_user_group ORDER BY id"),
    db.rows("SELECT id FROM user_group ORDER BY id"),
    db.rows("SELECT * FROM user_group_member ORDER BY group_id, user_id"),
    db.rows("SELECT * FROM user_group_subgroup ORDER BY supergroup_id, subgroup_id"),
    db.rows(
      `SELECT (SELECT count(*)::int FROM event_log) AS events, (SELECT count(*)::int FROM audit_log) AS audit,
         (SELECT count(*)::int FROM job_intent) AS jobs`,
    ),
  ]);
  return { named, groups, members, edges, rest };
}
