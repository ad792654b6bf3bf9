import { type Account, holdGroupGraph, lockGroupGraph } from "@carillon/model";
import type { Tx } from "@carillon/db";

import type { CreationOptions } from "./creation-options.ts";

/**
 * Takes the group graph for the creation of channels: alone where the list of default channels grows, of which the event
 * tells all, and to all of which newcomers are subscribed.
 */
export function lockForCreation(
  tx: Tx,
  { realmId }: Account,
  { isDefault }: Pick<CreationOptions, "isDefault">,
): Promise<void> {
  return isDefault ? lockGroupGraph(tx, realmId) : holdGroupGraph(tx, realmId);
}
