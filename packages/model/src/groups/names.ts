import { errors } from "@carillon/contract";
import { statement, type Sql } from "@carillon/db";
import { isLongerThan } from "@carillon/kit";

import { checkNotReserved, checkVisible } from "../users/reserved-names.ts";

/** Code points that the name of a group may have. */
export const maxGroupNameLength = 100;

/** What begins otherwise could be taken for a mention, a system group, or the name of something else. */
const reserved = ["@", "role:", "user:", "stream:", "channel:"] as const;

/**
 * The rules for names that need no look at other groups (user-groups.md §5.2). A name is stored as it was sent.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkGroupName(name: string): void {
  if (name.trim() === "") throw errors.badRequest("The name of a user group must not be blank");
  if (isLongerThan(name, maxGroupNameLength))
    throw errors.badRequest(
      `The name of a user group must not have more than ${maxGroupNameLength} characters`,
    );
  checkVisible("The name of a user group", name);
  checkNotReserved("The name of a user group", name);
  const prefix = reserved.find((start) => name.startsWith(start));
  if (prefix !== undefined)
    throw errors.badRequest(`The name of a user group must not begin with ${prefix}`);
}

const named = statement({
  name: "group-by-name",
  text: `SELECT FROM named_user_group WHERE realm_id = $1 AND name = $2`,
  row: {},
});

/**
 * Deactivated groups and those of the system keep their names, and case counts. Nobody else takes the name meanwhile
 * when the transaction holds the lock of the group graph.
 * @throws ApiError `BAD_REQUEST` when another group has the name
 */
export async function checkNameIsUnused(sql: Sql, realmId: number, name: string): Promise<void> {
  const rows = await sql.rows(named, [realmId, name]);
  if (rows.length > 0) throw errors.badRequest(`There is already a user group named ${name}`);
}
