import { type Account, administerOrganization, loadProfileFields } from "@carillon/model";
import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { reordering } from "../order/reordering.ts";
import { tellProfileFields } from "./tell-fields.ts";

const reorder = reordering("custom_profile_fields");

/**
 * Gives the organization's custom profile fields the order of the list (settings-and-profile-fields.md §2.3), and tells
 * everybody unless they have it.
 * @param order ids of all fields; others are passed over
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`; `BAD_REQUEST` unless each field is there, and none twice
 */
export async function reorderProfileFields(
  tx: Tx,
  actor: Account,
  order: readonly number[],
): Promise<void> {
  const { realmId } = actor;
  await administerOrganization(tx, actor);
  const fields = await loadProfileFields(tx, realmId);
  const known = new Set(fields.map(({ id }) => id));
  const places = order.filter((id) => known.has(id));
  if (places.length > new Set(places).size)
    throw errors.badRequest("order must name each field once");
  if (places.length < fields.length)
    throw errors.badRequest("order must name all profile fields of the organization");
  if ((await tx.count(reorder, [realmId, places])) === 0) return;
  await tellProfileFields(tx, actor, {
    type: "profile_fields_reordered",
    data: { old: fields.map(({ id }) => id), new: places },
  });
}
