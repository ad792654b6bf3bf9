import { type Account, personUpdated, pictureUpdated } from "@carillon/model";
import type { Audience, NewEvent } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";

/** The picture that is made of the address. */
const generated = "G";

const store = statement({
  name: "account-profile-delete",
  text: "UPDATE users SET full_name = $2, avatar_source = $3, avatar_version = $4 WHERE id = $1",
  row: {},
});

/**
 * Takes the name and the picture of an account that is deactivated away (users.md §4); its address, its profile values
 * and its settings stay.
 * @param account in the hands of the transaction
 * @param audience who sees it by then
 * @returns what to tell of it
 */
export async function deleteProfile(
  tx: Tx,
  account: Account,
  audience: Audience,
): Promise<NewEvent[]> {
  const full_name = account.isBot ? "Deactivated bot" : "Deleted user";
  const pictured = account.avatarSource !== generated;
  const avatarVersion = account.avatarVersion + (pictured ? 1 : 0);
  await tx.rows(store, [account.id, full_name, generated, avatarVersion]);
  return [
    ...(account.fullName === full_name ? [] : [personUpdated(account.id, { full_name }, audience)]),
    ...(pictured
      ? [pictureUpdated({ ...account, avatarSource: generated, avatarVersion }, audience)]
      : []),
  ];
}
