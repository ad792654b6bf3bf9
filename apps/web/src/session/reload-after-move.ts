import type { Snapshot } from "@carillon/client";
import { storage } from "../storage.ts";
import type { Organization } from "../store/organization.ts";
import { type Account, accounts } from "./accounts.ts";
import { carryTexts } from "./carry-texts.ts";

/**
 * Reloads the page if the organization has moved to another installation at the same address: all ids in the page are old
 * then. An account with another id shows this, because every account has a new id there (docs/moving.md).
 */
export function reloadAfterMove(
  account: Account,
  organization: Organization,
  { user_id: userId }: Snapshot,
): void {
  if (typeof userId !== "number" || userId === account.userId) return;
  accounts.renumber(account, userId);
  // The page would read the old id again, and reload without end.
  if (storage.isRefused.value) return;
  // Otherwise messages that wait for the connection would be sent with old ids.
  organization.stop();
  carryTexts(organization, userId);
  // The address of the view contains old ids.
  history.replaceState(null, "", "#");
  location.reload();
}
