import type { Sql } from "@carillon/db";

import type { Account } from "../../users/account.ts";

/** An account as messages show it, as a sender or as a participant. */
export type Person = Pick<
  Account,
  | "id"
  | "email"
  | "deliveryEmail"
  | "fullName"
  | "avatarSource"
  | "avatarVersion"
  | "emailAddressVisibility"
  | "isImportedStub"
>;

const byIds = {
  name: "people-in-messages",
  text: `SELECT id, email, delivery_email AS "deliveryEmail", full_name AS "fullName", avatar_source AS "avatarSource",
      avatar_version AS "avatarVersion", email_address_visibility AS "emailAddressVisibility",
      is_imported_stub AS "isImportedStub"
    FROM users WHERE realm_id = $1 AND id = ANY($2::int[])`,
};

/** The organization's accounts with these ids, deactivated ones too, by id. */
export async function loadPeople(
  sql: Sql,
  realmId: number,
  ids: Iterable<number>,
): Promise<Map<number, Person>> {
  const rows = await sql.rows<Person>(byIds, [realmId, [...new Set(ids)]]);
  return new Map(rows.map((person) => [person.id, person]));
}
