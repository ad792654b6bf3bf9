import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { isLongerThan } from "@carillon/kit";

import { lockOrganization } from "../realms/lock-organization.ts";
import type { Realm } from "../realms/realm.ts";
import { findCollision } from "./name-taken.ts";
import { checkNotReserved, checkVisible } from "./reserved-names.ts";

/** Code points that a name may have. */
const maxLength = 100;

/** Control characters, surrogates without a pair, code points that are no characters, and what Markdown mentions use. */
const forbidden = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}*`\\>"@]/u;

/**
 * The name as it is stored: trimmed, with single spaces (users.md §3.3).
 * @throws ApiError `BAD_REQUEST`
 */
export function checkFullName(text: string): string {
  const name = text.trim().replaceAll(/\p{Zs}+/gu, " ");
  if (name === "") throw errors.badRequest("full_name must not be blank");
  if (isLongerThan(name, maxLength))
    throw errors.badRequest(`full_name must not have more than ${maxLength} characters`);
  if (forbidden.test(name))
    throw errors.badRequest(
      'full_name must have printable characters only, and none of * ` \\ > " @',
    );
  checkVisible("full_name", name);
  checkNotReserved("full_name", name);
  if (/\|\d+$/.test(name)) throw errors.badRequest("full_name must not end in | and digits");
  return name;
}

/**
 * Where the organization wants names to differ: from those of all its accounts, whatever their state, in more than
 * case and letters that look alike. Run it in the changing transaction: it keeps other names from changing until that ends.
 * @param exceptId the account that is to have the name
 * @throws ApiError `BAD_REQUEST`
 */
export async function checkNameIsFree(
  tx: Tx,
  realm: Realm,
  name: string,
  exceptId = 0,
): Promise<void> {
  if (!realm.requireUniqueNames) return;
  await lockOrganization(tx, realm.id);
  const collision = await findCollision(tx, realm.id, name, { exceptId, onlyActive: false });
  if (collision === "same") throw errors.badRequest("Another user has this full_name");
  if (collision) throw errors.badRequest("Another user has a full_name that looks like this one");
}
