import type { Tx } from "@carillon/db";
import type { Account } from "@carillon/model";

import { changeLinkifiers } from "./change-linkifiers.ts";
import { oneOf } from "./usable.ts";

/**
 * Removes a linkifier (rendering.md §3), and tells everybody; what was sent before stays as it is.
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`, `BAD_REQUEST`
 */
export async function removeLinkifier(tx: Tx, actor: Account, id: number): Promise<void> {
  await changeLinkifiers(tx, actor, async (there) => {
    const { pattern, url_template: urlTemplate } = oneOf(there, id).found;
    const prisma = await tx.prisma();
    await prisma.linkifier.delete({ where: { id }, select: { id: true } });
    return { type: "linkifier_removed", data: { linkifier_id: id, pattern, urlTemplate } };
  });
}
