import { bounds, errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import type { Linkifier } from "@carillon/markdown";
import type { Account } from "@carillon/model";

import { changeLinkifiers } from "./change-linkifiers.ts";
import { checkUsable } from "./usable.ts";

/**
 * Creates a linkifier, the last one in their order (rendering.md §3), and tells everybody.
 * @returns its id
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`, `BAD_REQUEST`
 */
export async function createLinkifier(tx: Tx, actor: Account, wanted: Linkifier): Promise<number> {
  const { realmId } = actor;
  let created = 0;
  await changeLinkifiers(tx, actor, async (there) => {
    checkUsable(wanted, there);
    if (there.length >= bounds.linkifiers)
      throw errors.badRequest(
        `An organization cannot have more than ${bounds.linkifiers} linkifiers`,
      );
    const prisma = await tx.prisma();
    const { id } = await prisma.linkifier.create({
      data: { ...wanted, realmId },
      select: { id: true },
    });
    // After all others: an order is an older linkifier's id, or an index below the number of linkifiers.
    await prisma.linkifier.update({ where: { id }, data: { order: id }, select: { id: true } });
    created = id;
    return { type: "linkifier_created", data: { linkifier_id: id, ...wanted } };
  });
  return created;
}
