import { column, statement } from "@carillon/db";

/** The named groups that an account is a direct member of. */
export const groupsOfAccount = statement({
  name: "groups-of-account",
  text: `SELECT g.id, g.deactivated FROM user_group_member m JOIN named_user_group g ON g.id = m.group_id
    WHERE m.user_id = $1 ORDER BY g.id`,
  row: { id: column.int, deactivated: column.bool },
});
