import {
  type Account,
  hasPublicGravatar,
  pictureOf,
  rolesSeeingAddress,
  userObject,
} from "@carillon/model";
import type { Sql } from "@carillon/db";
import type { NewEvent } from "@carillon/events";

/**
 * What everybody is told of a new account: the account, with its address for those who may see it, and the groups
 * that it is in (user-groups.md §2).
 */
export async function userAdded(
  sql: Sql,
  account: Account,
  groupIds: readonly number[],
): Promise<NewEvent[]> {
  const seeing = rolesSeeingAddress(account);
  const person = (seesAddress: boolean) => ({
    person: userObject(account, seesAddress, account.isBot ? undefined : {}),
    picture: pictureOf(account),
    public_gravatar: hasPublicGravatar(account),
  });
  const joined = groupIds.map((groupId): NewEvent => ({
    type: "user_group",
    op: "add_members",
    payload: { group_id: groupId, user_ids: [account.id] },
    audience: null,
  }));
  const added = { type: "realm_user", op: "add" };
  if (seeing.length === 5) return [{ ...added, payload: person(true), audience: null }, ...joined];
  const [audience] = await sql.rows<{ seeing: string; others: string }>(
    `SELECT coalesce(array_agg(id) FILTER (WHERE role = ANY($2::int[])), '{}')::text AS seeing,
       coalesce(array_agg(id) FILTER (WHERE NOT role = ANY($2::int[])), '{}')::text AS others
     FROM users WHERE realm_id = $1 AND is_active`,
    [account.realmId, seeing],
  );
  return [
    { ...added, payload: person(true), audience: audience?.seeing ?? "{}" },
    { ...added, payload: person(false), audience: audience?.others ?? "{}" },
    ...joined,
  ];
}
