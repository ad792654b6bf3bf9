import { statement } from "@carillon/db";

/** `$1` the group, `$2` accounts that are no direct members. */
export const insertMembers = statement({
  name: "group-members-add",
  text: "INSERT INTO user_group_member (group_id, user_id) SELECT $1, unnest($2::int[])",
  row: {},
});

/** `$1` the group, `$2` accounts. */
export const deleteMembers = statement({
  name: "group-members-remove",
  text: "DELETE FROM user_group_member WHERE group_id = $1 AND user_id = ANY($2::int[])",
  row: {},
});
