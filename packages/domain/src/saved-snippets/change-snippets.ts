import {
  bounds,
  errors,
  savedSnippetAdded,
  savedSnippetRemoved,
  savedSnippetUpdated,
} from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { lockAccount, type Account } from "@carillon/model";

import { checkedContent, checkedTitle, presentSnippet } from "./snippet.ts";

const shown = { id: true, title: true, content: true, dateCreated: true } as const;

/**
 * Saves a snippet (clients.md §4).
 * @returns its id
 * @throws ApiError `BAD_REQUEST`
 */
export async function createSavedSnippet(
  tx: Tx,
  actor: Account,
  given: { readonly title: string; readonly content: string },
): Promise<number> {
  const [title, content] = [checkedTitle(given.title), checkedContent(given.content)];
  const prisma = await lockedPrisma(tx, actor);
  const ofAccount = { userId: actor.id };
  if ((await prisma.savedSnippet.count({ where: ofAccount })) >= bounds.savedSnippets)
    throw errors.badRequest(`An account may have ${bounds.savedSnippets} saved snippets`);
  const row = await prisma.savedSnippet.create({
    data: { ...ofAccount, title, content },
    select: shown,
  });
  const saved_snippet = presentSnippet(row);
  emit(tx, actor.realmId, [savedSnippetAdded({ saved_snippet }, { audience: [actor.id] })]);
  return row.id;
}

/**
 * Changes a snippet; what is not given stays.
 * @throws ApiError `BAD_REQUEST`; with status 404 where the account has no such snippet
 */
export async function updateSavedSnippet(
  tx: Tx,
  actor: Account,
  id: number,
  wanted: { readonly title?: string | undefined; readonly content?: string | undefined },
): Promise<void> {
  const data = {
    ...(wanted.title === undefined ? {} : { title: checkedTitle(wanted.title) }),
    ...(wanted.content === undefined ? {} : { content: checkedContent(wanted.content) }),
  };
  const prisma = await lockedPrisma(tx, actor);
  const where = { userId: actor.id, id };
  const [row] = await prisma.savedSnippet.updateManyAndReturn({ where, data, select: shown });
  if (!row) throw noSuchSnippet();
  if (Object.keys(data).length === 0) return;
  const saved_snippet = presentSnippet(row);
  emit(tx, actor.realmId, [savedSnippetUpdated({ saved_snippet }, { audience: [actor.id] })]);
}

/** @throws ApiError `BAD_REQUEST` with status 404 where the account has no such snippet */
export async function deleteSavedSnippet(tx: Tx, actor: Account, id: number): Promise<void> {
  const prisma = await lockedPrisma(tx, actor);
  const { count } = await prisma.savedSnippet.deleteMany({ where: { userId: actor.id, id } });
  if (count === 0) throw noSuchSnippet();
  emit(tx, actor.realmId, [
    savedSnippetRemoved({ saved_snippet_id: id }, { audience: [actor.id] }),
  ]);
}

/** One change at a time for an account: its clients are told in the order of the changes. */
async function lockedPrisma(tx: Tx, { realmId, id }: Account) {
  await lockAccount(tx, realmId, id);
  return tx.prisma();
}

function noSuchSnippet() {
  return errors.notFound404("You have no such saved snippet");
}
