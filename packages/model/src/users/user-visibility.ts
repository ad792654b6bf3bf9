import { isGuest, roles, type UserObject } from "@carillon/contract";
import { column, statement, type Sql } from "@carillon/db";

import type { Account } from "./account.ts";
import { restrictsGuests } from "../realms.ts";

type Looking = Pick<Account, "id" | "realmId" | "role">;
type Looked = Pick<Account, "id" | "isBot">;

/** Which accounts an account sees (users.md §2.1). */
export interface UserVisibility {
  /** Whether there may be somebody whom it does not see. */
  readonly isRestricted: boolean;
  sees(this: void, account: Looked): boolean;
}

/** Visibility without restrictions: every account is seen. */
export const fullUserVisibility: UserVisibility = { isRestricted: false, sees: () => true };

/**
 * Besides itself and bots: active subscribers of its channels, and everybody in its direct conversations. No row where
 * guests see everybody.
 */
const seen = statement({
  name: "accounts-seen-by-guest",
  text: `SELECT ARRAY(
      SELECT $2::int UNION
      SELECT theirs.user_id FROM subscriptions mine JOIN subscriptions theirs ON theirs.channel_id = mine.channel_id
      WHERE mine.user_id = $2 AND mine.active AND theirs.active AND theirs.is_user_active UNION
      SELECT unnest(d.member_ids) FROM recipients d WHERE d.realm_id = $1 AND d.member_ids @> ARRAY[$2::int]
    ) AS ids FROM realms WHERE realms.id = $1 AND ${restrictsGuests}`,
  row: { ids: column.ints },
});

/** Whom the account sees: guests may be kept from others, everybody else sees all accounts. */
export async function loadUserVisibility(sql: Sql, viewer: Looking): Promise<UserVisibility> {
  if (!isGuest(viewer)) return fullUserVisibility;
  const [row] = await sql.rows(seen, [viewer.realmId, viewer.id]);
  if (!row) return fullUserVisibility;
  const ids = new Set(row.ids);
  return { isRestricted: true, sees: ({ id, isBot }) => isBot || ids.has(id) };
}

/** What somebody is called whom the receiver does not see. */
export const unknownName = "Unknown user";

/** The address of who is not seen, whatever their own is. @param host of the organization */
export function unknownAddress(id: number, host: string): string {
  return `user${id}@${host}`;
}

/** The picture of who is not seen: made of the id, which is all that is known. @param siteUrl `PUBLIC_URL` */
export function unknownPicture(id: number, siteUrl: string): string {
  return `${siteUrl}/avatar/${id}?version=1`;
}

/** What stands in for an account for clients that need everybody they hear of. */
export function unknownUser(id: number, host: string, siteUrl: string): UserObject {
  return {
    user_id: id,
    email: unknownAddress(id, host),
    delivery_email: null,
    full_name: unknownName,
    role: roles.member,
    is_active: true,
    is_bot: false,
    is_owner: false,
    is_admin: false,
    is_guest: false,
    is_imported_stub: false,
    timezone: "",
    date_joined: "1970-01-01T00:00+00:00",
    avatar_version: 1,
    avatar_url: unknownPicture(id, siteUrl),
    profile_data: {},
  };
}
