import {
  type Account,
  groupEvents,
  guestsNotSeeing,
  hasPublicGravatar,
  personAdded,
  pictureOf,
  rolesSeeingAddress,
  unknownUser,
  userObject,
} from "@carillon/model";
import type { NewEvent } from "@carillon/contract";
import { statement, type Sql } from "@carillon/db";

const receiversByAddress = statement({
  name: "accounts-by-visible-addresses",
  text: `SELECT coalesce(array_agg(id) FILTER (WHERE role = ANY($2::int[])), '{}')::text AS seeing,
      coalesce(array_agg(id) FILTER (WHERE NOT role = ANY($2::int[])), '{}')::text AS others
    FROM users WHERE realm_id = $1 AND is_active AND id <> ALL($3::int[])`,
});

/**
 * Makes the events of a new account: the account, with its address for users who may see it, and its groups
 * (user-groups.md §2). Guests who cannot see the account get a placeholder, if their client needs a complete list of users.
 */
export async function newAccountEvents(
  sql: Sql,
  { host, siteUrl }: { readonly host: string; readonly siteUrl: string },
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
  const hiddenFrom = await guestsNotSeeing(sql, account);
  if (seeing.length === 5 && hiddenFrom.length === 0)
    return [personAdded(person(true), null), ...joined];
  const [audience] = await sql.rows(receiversByAddress, [account.realmId, seeing, hiddenFrom]);
  const standIn = () => ({
    person: unknownUser(account.id, host, siteUrl),
    placeholder: true as const,
  });
  return [
    personAdded(person(true), audience?.seeing ?? "{}"),
    personAdded(person(false), audience?.others ?? "{}"),
    ...(hiddenFrom.length > 0 ? [personAdded(standIn(), hiddenFrom)] : []),
    ...joined,
  ];
}
