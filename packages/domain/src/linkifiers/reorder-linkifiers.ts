import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import type { Account } from "@carillon/model";

import { reordering } from "../order/reordering.ts";
import { changeLinkifiers } from "./change-linkifiers.ts";

const reorder = reordering("linkifiers");

/**
 * Gives the organization's linkifiers the order of the list (rendering.md §3), and tells everybody unless they have it.
 * @param order ids of all of them
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`; `BAD_REQUEST` unless each linkifier is there once, and nothing else
 */
export async function reorderLinkifiers(
  tx: Tx,
  actor: Account,
  order: readonly number[],
): Promise<void> {
  await changeLinkifiers(tx, actor, async (there) => {
    const named = new Set(order);
    if (named.size < order.length || named.size !== there.length)
      throw errors.badRequest("ordered_linkifier_ids must name each linkifier once");
    if (there.some(({ id }) => !named.has(id)))
      throw errors.badRequest(
        "ordered_linkifier_ids must name all linkifiers of the organization, and nothing else",
      );
    const old = there.map(({ id }) => id);
    if (old.every((id, place) => order[place] === id)) return undefined;
    await tx.rows(reorder, [actor.realmId, order]);
    return { type: "linkifiers_reordered", data: { old, new: order } };
  });
}
