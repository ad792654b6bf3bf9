import type { Tx } from "@carillon/db";
import type { Linkifier } from "@carillon/markdown";
import type { Account } from "@carillon/model";

import { changeLinkifiers } from "./change-linkifiers.ts";
import { checkUsable, oneOf } from "./usable.ts";

/**
 * Changes a linkifier, which keeps its place (rendering.md §3), and tells everybody; what was sent before stays as it is.
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`, `BAD_REQUEST`
 */
export async function updateLinkifier(
  tx: Tx,
  actor: Account,
  id: number,
  wanted: Linkifier,
): Promise<void> {
  await changeLinkifiers(tx, actor, async (there) => {
    const { found, others } = oneOf(there, id);
    if (found.pattern === wanted.pattern && found.url_template === wanted.urlTemplate)
      return undefined;
    checkUsable(wanted, others);
    const prisma = await tx.prisma();
    await prisma.linkifier.update({ where: { id }, data: wanted, select: { id: true } });
    const old = { pattern: found.pattern, urlTemplate: found.url_template };
    return { type: "linkifier_changed", data: { linkifier_id: id, old, new: wanted } };
  });
}
