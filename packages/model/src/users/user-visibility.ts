import { isGuest, roles, type UserObject } from "@carillon/contract";
import { statement, notNull, type Sql } from "@carillon/db";

import type { Account } from "./account.ts";
import { restrictsGuests } from "../realms.ts";

type ViewerAccount = Pick<Account, "id" | "realmId" | "role">;
type ViewedAccount = Pick<Account, "id" | "isBot">;

/** Which accounts a viewer can see (users.md §2.1). */
export interface UserVisibility {
  /** Whether some accounts may be hidden from the viewer. */
  readonly isRestricted: boolean;
  sees(this: void, account: ViewedAccount): boolean;
}

/** Unrestricted visibility: the viewer can see every account. */
export const fullUserVisibility: UserVisibility = { isRestricted: false, sees: () => true };

/**
 * Selects the accounts that a guest can see, in addition to bots: itself, active subscribers of its channels, and
 * members of its direct conversations. Returns no row if guests are not restricted.
 */
const seen = statement({
  name: "accounts-seen-by-guest",
  text: `SELECT ARRAY(
      SELECT $2::int UNION
      SELECT theirs.user_id FROM subscriptions mine JOIN subscriptions theirs ON theirs.channel_id = mine.channel_id
      WHERE mine.user_id = $2 AND mine.active AND theirs.active AND theirs.is_user_active UNION
      SELECT unnest(d.member_ids) FROM recipients d WHERE d.realm_id = $1 AND d.member_ids @> ARRAY[$2::int]
    ) AS ids FROM realms WHERE realms.id = $1 AND ${restrictsGuests}`,
  overrides: { ids: notNull },
});

/** Loads which accounts the viewer can see: guests may be restricted, others can see all accounts. */
export async function loadUserVisibility(sql: Sql, viewer: ViewerAccount): Promise<UserVisibility> {
  if (!isGuest(viewer)) return fullUserVisibility;
  const [row] = await sql.rows(seen, [viewer.realmId, viewer.id]);
  if (!row) return fullUserVisibility;
  const ids = new Set(row.ids);
  return { isRestricted: true, sees: ({ id, isBot }) => isBot || ids.has(id) };
}

/** Name of an account that the receiver cannot see. */
export const unknownName = "Unknown user";

/** Returns the address shown for a hidden account, whatever its own is. @param host host of the organization */
export function unknownAddress(id: number, host: string): string {
  return `user${id}@${host}`;
}

/**
 * Returns the URL of the picture shown for a hidden account, which depends only on its id. @param siteUrl `PUBLIC_URL`
 */
export function unknownPicture(id: number, siteUrl: string): string {
  return `${siteUrl}/avatar/${id}?version=1`;
}

/** Returns the placeholder for a hidden account, for clients that need a complete list of users. */
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
