import type { Snapshot } from "@carillon/client";
import { type Account, accounts } from "./accounts.ts";

/**
 * Loads the page anew if the organization has moved to another installation at the same address. Everything has another id
 * there, and no account has the id that it had before (docs/moving.md).
 */
export function followMove(account: Account, { user_id: userId }: Snapshot): void {
  if (typeof userId !== "number" || userId === account.userId) return;
  accounts.renumber(account, userId);
  // The address of the view contains old ids.
  history.replaceState(null, "", "#");
  location.reload();
}
