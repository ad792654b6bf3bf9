import {
  errors,
  type LinkifierObject,
  linkifiersChanged,
  maxLinkifierInstructions,
  maxLinkifiers,
} from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { type Linkifier, linkifierProblem, patternSize } from "@carillon/markdown";
import {
  type Account,
  administerOrganization,
  type AuditEntry,
  listLinkifiers,
  recordAudit,
} from "@carillon/model";

import { reordering } from "./reordering.ts";

/**
 * Creates a linkifier at the end of the order (rendering.md §3), and sends an event to all users.
 * @returns its id
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`, `BAD_REQUEST`
 */
export async function createLinkifier(tx: Tx, actor: Account, wanted: Linkifier): Promise<number> {
  const { realmId } = actor;
  let created = 0;
  await changeLinkifiers(tx, actor, async (current) => {
    checkUsable(wanted, current);
    if (current.length >= maxLinkifiers)
      throw errors.badRequest(`An organization cannot have more than ${maxLinkifiers} linkifiers`);
    const prisma = await tx.prisma();
    const { id } = await prisma.linkifier.create({
      data: { ...wanted, realmId },
      select: { id: true },
    });
    // Sorts last: the order of an older linkifier is its own id, or an index below the number of linkifiers.
    await prisma.linkifier.update({ where: { id }, data: { order: id }, select: { id: true } });
    created = id;
    return { type: "linkifier_created", data: { linkifier_id: id, ...wanted } };
  });
  return created;
}

/**
 * Changes a linkifier in its place (rendering.md §3), and sends an event to all users. Existing messages stay as they
 * are.
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`, `BAD_REQUEST`
 */
export async function updateLinkifier(
  tx: Tx,
  actor: Account,
  id: number,
  wanted: Linkifier,
): Promise<void> {
  await changeLinkifiers(tx, actor, async (current) => {
    const { found, others } = oneOf(current, id);
    if (found.pattern === wanted.pattern && found.url_template === wanted.urlTemplate)
      return undefined;
    checkUsable(wanted, others);
    const prisma = await tx.prisma();
    await prisma.linkifier.update({ where: { id }, data: wanted, select: { id: true } });
    const old = { pattern: found.pattern, urlTemplate: found.url_template };
    return { type: "linkifier_changed", data: { linkifier_id: id, old, new: wanted } };
  });
}

/**
 * Removes a linkifier (rendering.md §3), and sends an event to all users. Existing messages stay as they are.
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`, `BAD_REQUEST`
 */
export async function removeLinkifier(tx: Tx, actor: Account, id: number): Promise<void> {
  await changeLinkifiers(tx, actor, async (current) => {
    const { pattern, url_template: urlTemplate } = oneOf(current, id).found;
    const prisma = await tx.prisma();
    await prisma.linkifier.delete({ where: { id }, select: { id: true } });
    return { type: "linkifier_removed", data: { linkifier_id: id, pattern, urlTemplate } };
  });
}

const reorder = reordering("linkifiers");

/**
 * Puts the organization's linkifiers into the order of the list (rendering.md §3), and sends an event to all users if
 * the order changes.
 * @param order ids of all linkifiers
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`; `BAD_REQUEST` unless the list names each linkifier exactly once
 */
export async function reorderLinkifiers(
  tx: Tx,
  actor: Account,
  order: readonly number[],
): Promise<void> {
  await changeLinkifiers(tx, actor, async (current) => {
    const named = new Set(order);
    if (named.size < order.length || named.size !== current.length)
      throw errors.badRequest("ordered_linkifier_ids must name each linkifier once");
    if (current.some(({ id }) => !named.has(id)))
      throw errors.badRequest(
        "ordered_linkifier_ids must name all linkifiers of the organization, and nothing else",
      );
    const old = current.map(({ id }) => id);
    if (old.every((id, place) => order[place] === id)) return undefined;
    await tx.rows(reorder, [actor.realmId, order]);
    return { type: "linkifiers_reordered", data: { old, new: order } };
  });
}

/**
 * Applies an administrator's change to the organization's linkifiers, and sends the new list to all users.
 * @param change receives the current linkifiers, which no other transaction changes meanwhile; returns undefined if
 * nothing changes
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`, and what `change` throws
 */
async function changeLinkifiers(
  tx: Tx,
  actor: Account,
  change: (linkifiers: readonly LinkifierObject[]) => Promise<AuditEntry | undefined>,
): Promise<void> {
  await administerOrganization(tx, actor);
  const done = await change(await listLinkifiers(tx, actor.realmId));
  if (!done) return;
  recordAudit(tx, actor.realmId, actor.id, [done]);
  const realm_linkifiers = await listLinkifiers(tx, actor.realmId);
  emit(tx, actor.realmId, [linkifiersChanged({ realm_linkifiers })]);
}

/**
 * Checks that a linkifier is valid (rendering.md §3), and that it fits with the organization's other linkifiers.
 * @throws ApiError `BAD_REQUEST`
 */
function checkUsable(wanted: Linkifier, others: readonly LinkifierObject[]): void {
  const problem = linkifierProblem(wanted);
  if (problem !== undefined) throw errors.badRequest(problem);
  if (others.some(({ pattern }) => pattern === wanted.pattern))
    throw errors.badRequest("Another linkifier has this pattern");
  const size = others.reduce((sum, { pattern }) => sum + patternSize(pattern), 0);
  if (size + patternSize(wanted.pattern) > maxLinkifierInstructions)
    throw errors.badRequest(
      `The linkifiers of an organization cannot take more than ${maxLinkifierInstructions} instructions in all: simplify or remove some`,
    );
}

/**
 * Splits the list into the linkifier with this id and the others.
 * @throws ApiError `BAD_REQUEST` if there is none
 */
function oneOf(
  linkifiers: readonly LinkifierObject[],
  id: number,
): { readonly found: LinkifierObject; readonly others: readonly LinkifierObject[] } {
  const found = linkifiers.find((linkifier) => linkifier.id === id);
  if (!found) throw errors.badRequest("There is no such linkifier");
  return { found, others: linkifiers.filter((linkifier) => linkifier.id !== id) };
}
