import {
  type Account,
  type Realm,
  type Site,
  audienceSeeing,
  hostOf,
  personUpdated,
  pictureUpdated,
  rolesSeeingAddress,
  visibleToEveryone,
} from "@carillon/model";
import { column, statement, type Tx } from "@carillon/db";
import type { Audience, NewEvent } from "@carillon/contract";

const storeVisibility = statement({
  name: "address-visibility-store",
  text: "UPDATE users SET email_address_visibility = $2, email = $3 WHERE id = $1",
  row: {},
});

/**
 * Sets who sees the account's delivery address, and with that the address that everybody sees (users.md §2).
 * @param account as it is now
 * @returns the address that everybody sees, and what to tell: the delivery address, or that it is hidden, to those
 *   for whom that is new; to all the address that they see, and the picture that clients make up of it
 */
export async function changeAddressVisibility(
  tx: Tx,
  site: Site,
  realm: Realm,
  account: Account,
  visibility: number,
): Promise<{ email: string; events: NewEvent[] }> {
  const email =
    visibility === visibleToEveryone
      ? account.deliveryEmail
      : `user${account.id}@${hostOf(site, realm)}`;
  const changed = { ...account, email, emailAddressVisibility: visibility };
  const before = rolesSeeingAddress(account);
  const after = rolesSeeingAddress(changed);
  // Of two values one shows the address to every role that the other does: nobody gains while others lose.
  const gained = after.filter((role) => !before.includes(role));
  const lost = before.filter((role) => !after.includes(role));
  const audience = await audienceSeeing(tx, account);
  const [, concerned] = await Promise.all([
    tx.rows(storeVisibility, [account.id, visibility, email]),
    othersWithRole(tx, account, [...gained, ...lost], audience),
  ]);
  const shown = gained.length > 0 ? account.deliveryEmail : null;
  const events = [
    ...(concerned ? [personUpdated(account.id, { delivery_email: shown }, concerned)] : []),
    ...(email === account.email ? [] : [personUpdated(account.id, { new_email: email }, audience)]),
    // Also where nobody is there who gains or loses: clients made the picture up of the address that all see.
    ...((concerned || email !== account.email) && account.avatarSource === "G"
      ? [pictureUpdated(changed, audience)]
      : []),
  ];
  return { email, events };
}

const ofRoles = statement({
  name: "others-of-roles",
  text: `SELECT array_agg(id)::text AS ids FROM users
    WHERE realm_id = $1 AND is_active AND system_bot_kind IS NULL AND role = ANY($2::int[]) AND id <> $3
      AND ($4::int[] IS NULL OR id = ANY($4::int[]))`,
  row: { ids: column.text.orNull() },
});

/** Active accounts, of those among whom to look, as SQL writes an array; undefined where there is none. */
async function othersWithRole(
  tx: Tx,
  account: Account,
  roles: readonly number[],
  among: Audience,
): Promise<string | undefined> {
  const found = await tx.first(ofRoles, [account.realmId, roles, account.id, among]);
  return found?.ids ?? undefined;
}
