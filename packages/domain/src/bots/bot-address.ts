import { type Realm, type Site, hostOf, isEmailAddress } from "@carillon/model";
import { errors } from "@carillon/contract";

/**
 * The address of a bot with this `short_name` (users.md §5).
 * @throws ApiError `BAD_REQUEST`
 */
export function botAddress(site: Site, realm: Realm, shortName: string): string {
  const name = shortName.trim();
  const email = `${name}-bot@${hostOf(site, realm)}`;
  if (name === "" || !isEmailAddress(email))
    throw errors.badRequest("short_name must be something that an e-mail address can begin with");
  return email;
}
