import {
  bounds,
  draftRemoved,
  draftsAdded,
  draftUpdated,
  errors,
  type GivenDraft,
} from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import type { Account } from "@carillon/model";

import { checkDrafts } from "./check-drafts.ts";
import { presentDraft } from "./list-drafts.ts";
import { lockDrafts } from "./synchronization.ts";

/**
 * Stores drafts, all or none (clients.md §4).
 * @returns their ids, in the order given
 * @throws ApiError `BAD_REQUEST`
 */
export async function createDrafts(
  tx: Tx,
  actor: Account,
  given: readonly GivenDraft[],
): Promise<number[]> {
  await lockDrafts(tx, actor);
  const drafts = await checkDrafts(tx, actor, given);
  const prisma = await tx.prisma();
  const ofAccount = { userId: actor.id };
  if ((await prisma.draft.count({ where: ofAccount })) + drafts.length > bounds.drafts)
    throw errors.badRequest(`An account may have ${bounds.drafts} drafts`);
  const rows = await prisma.draft.createManyAndReturn({
    data: drafts.map((draft) => ({ ...draft, ...ofAccount })),
  });
  const stored = rows.map(presentDraft);
  emit(tx, actor.realmId, [draftsAdded({ drafts: stored }, { audience: [actor.id] })]);
  return stored.map(({ id }) => id);
}

/**
 * Changes a draft, all of it.
 * @throws ApiError `BAD_REQUEST`; with status 404 where the account has no such draft
 */
export async function updateDraft(
  tx: Tx,
  actor: Account,
  id: number,
  given: GivenDraft,
): Promise<void> {
  await lockDrafts(tx, actor);
  const prisma = await tx.prisma();
  const where = { userId: actor.id, id };
  const draft = await prisma.draft.findUnique({ where });
  if (!draft) throw noSuchDraft();
  const known = draft.kind === "private" ? draft.to : [];
  const [data] = await checkDrafts(tx, actor, [given], known);
  const row = await prisma.draft.update({ where, data: { ...data } });
  emit(tx, actor.realmId, [draftUpdated({ draft: presentDraft(row) }, { audience: [actor.id] })]);
}

/** @throws ApiError `BAD_REQUEST`; with status 404 where the account has no such draft */
export async function deleteDraft(tx: Tx, actor: Account, id: number): Promise<void> {
  await lockDrafts(tx, actor);
  const prisma = await tx.prisma();
  const { count } = await prisma.draft.deleteMany({ where: { userId: actor.id, id } });
  if (count === 0) throw noSuchDraft();
  emit(tx, actor.realmId, [draftRemoved({ draft_id: id }, { audience: [actor.id] })]);
}

function noSuchDraft() {
  return errors.notFound404("You have no such draft");
}
