import { statement, type RowOf, type Sql } from "@carillon/db";

import { hasPublicGravatar, pictureOf, type Picture } from "../users/avatar.ts";
import { unknownAddress, unknownName } from "../users/user-visibility.ts";

/** An account as a sender or participant of messages. */
export interface Person {
  readonly id: number;
  /** The visible address. */
  readonly email: string;
  readonly fullName: string;
  readonly picture: Picture;
  /** Whether clients that see the address can compute the avatar's URL. */
  readonly hasPublicGravatar: boolean;
  readonly isImportedStub: boolean;
  readonly isBot: boolean;
}

const byIds = statement({
  name: "people-in-messages",
  text: `SELECT id, realm_id AS "realmId", email, delivery_email AS "deliveryEmail", full_name AS "fullName", avatar_source AS "avatarSource",
      avatar_version AS "avatarVersion", avatar_file AS "avatarFile", email_address_visibility AS "emailAddressVisibility",
      is_imported_stub AS "isImportedStub", is_bot AS "isBot"
    FROM users WHERE realm_id = $1 AND id = ANY($2::int[])`,
});

/** Loads the organization's accounts with these ids, by id, including deactivated ones. */
export async function loadPeople(
  sql: Sql,
  realmId: number,
  ids: Iterable<number>,
): Promise<Map<number, Person>> {
  const rows = await sql.rows(byIds, [realmId, [...new Set(ids)]]);
  return new Map(rows.map((row) => [row.id, personOf(row)]));
}

/** Converts an account. */
export function personOf(account: RowOf<typeof byIds>): Person {
  const { id, email, fullName, isImportedStub, isBot } = account;
  return {
    id,
    email,
    fullName,
    picture: pictureOf(account),
    hasPublicGravatar: hasPublicGravatar(account),
    isImportedStub,
    isBot,
  };
}

/** Returns the placeholder for a person that the viewer cannot see (users.md §2.1). @param host host of the organization */
export function unknownPerson(id: number, host: string): Person {
  return {
    id,
    email: unknownAddress(id, host),
    fullName: unknownName,
    picture: { user_id: id, version: 1, hash: "", shown_to: [] },
    hasPublicGravatar: false,
    isImportedStub: false,
    isBot: false,
  };
}
