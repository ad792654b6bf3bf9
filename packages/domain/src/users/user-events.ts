import {
  type Account,
  groupEvents,
  hasPublicGravatar,
  pictureOf,
  rolesSeeingAddress,
  userObject,
} from "@carillon/model";
import { type NewEvent, userAdded } from "@carillon/contract";
import { column, statement, type Sql } from "@carillon/db";

const sight = statement({
  name: "accounts-by-sight-of-addresses",
  text: `SELECT coalesce(array_agg(id) FILTER (WHERE role = ANY($2::int[])), '{}')::text AS seeing,
      coalesce(array_agg(id) FILTER (WHERE NOT role = ANY($2::int[])), '{}')::text AS others
    FROM users WHERE realm_id = $1 AND is_active`,
  row: { seeing: column.text, others: column.text },
});

/**
 * What everybody is told of a new account: the account, with its address for those who may see it, and the groups
 * that it is in (user-groups.md §2).
 */
export async function newAccountEvents(
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
  const joined = groupIds.flatMap((id) =>
    groupEvents.membersAdded({ id, deactivated: false }, [account.id]),
  );
  if (seeing.length === 5) return [userAdded(person(true), { audience: null }), ...joined];
  const [audience] = await sql.rows(sight, [account.realmId, seeing]);
  return [
    userAdded(person(true), { audience: audience?.seeing ?? "{}" }),
    userAdded(person(false), { audience: audience?.others ?? "{}" }),
    ...joined,
  ];
}
