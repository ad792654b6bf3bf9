import {
  errors,
  maxSavedSnippets,
  type SavedSnippet,
  savedSnippetAdded,
  savedSnippetRemoved,
  savedSnippetUpdated,
} from "@carillon/contract";
import { type PagedList, readList, type Sql, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { isLongerThan } from "@carillon/kit";
import { type Account, lockAccount, maxMessageLength } from "@carillon/model";
import type { Section } from "./snapshot-section.ts";

/** Maximum code points of a title. */
const maxTitleLength = 60;

const sizes = statement({
  name: "saved-snippets-sizes",
  text: `SELECT id, octet_length(content) + 200 AS bytes FROM saved_snippets WHERE user_id = $1 ORDER BY id`,
});

const byIds = statement({
  name: "saved-snippets-by-ids",
  text: `SELECT id, title, content, floor(extract(epoch FROM date_created))::bigint AS date_created
    FROM saved_snippets WHERE user_id = $1 AND id = ANY(ARRAY(SELECT unnest($2::int[]))) ORDER BY id`,
});

/**
 * Lists the account's snippets, oldest first: as one array, or page by page if it is large.
 * @param sql a REPEATABLE READ transaction
 */
export async function listSavedSnippets(
  sql: Sql,
  userId: number,
): Promise<SavedSnippet[] | PagedList<SavedSnippet>> {
  return readList(sql, await sql.rows(sizes, [userId]), (one, ids) =>
    one.rows(byIds, [userId, ids]),
  );
}

/** The account's saved snippets. */
export const savedSnippetsSection: Section = {
  names: ["saved_snippets"],
  load: async ({ tx, actor }) => ({ saved_snippets: await listSavedSnippets(tx, actor.id) }),
};

/** Converts a stored snippet to its wire format. */
function presentSnippet(row: {
  readonly id: number;
  readonly title: string;
  readonly content: string;
  readonly dateCreated: Date;
}): SavedSnippet {
  const { id, title, content, dateCreated } = row;
  return { id, title, content, date_created: Math.floor(dateCreated.getTime() / 1_000) };
}

/**
 * Trims and checks a title.
 * @throws ApiError `BAD_REQUEST` if it is empty or too long
 */
function checkedTitle(given: string): string {
  return checked("title", given, maxTitleLength);
}

/**
 * Trims and checks a content.
 * @throws ApiError `BAD_REQUEST` if it is empty or too long
 */
function checkedContent(given: string): string {
  return checked("content", given, maxMessageLength);
}

function checked(what: string, given: string, limit: number): string {
  const text = given.trim();
  if (text === "") throw errors.badRequest(`${what} must not be empty`);
  if (isLongerThan(text, limit))
    throw errors.badRequest(`${what} must not have more than ${limit} characters`);
  return text;
}

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
  if ((await prisma.savedSnippet.count({ where: ofAccount })) >= maxSavedSnippets)
    throw errors.badRequest(
      `An account must not have more than ${maxSavedSnippets} saved snippets`,
    );
  const row = await prisma.savedSnippet.create({
    data: { ...ofAccount, title, content },
    select: shown,
  });
  const saved_snippet = presentSnippet(row);
  emit(tx, actor.realmId, [savedSnippetAdded({ saved_snippet }, { audience: [actor.id] })]);
  return row.id;
}

/**
 * Changes a snippet. Fields that are not given stay.
 * @throws ApiError `BAD_REQUEST`; with status 404 if the account has no such snippet
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

/**
 * Deletes a snippet.
 * @throws ApiError `BAD_REQUEST` with status 404 if the account has no such snippet
 */
export async function deleteSavedSnippet(tx: Tx, actor: Account, id: number): Promise<void> {
  const prisma = await lockedPrisma(tx, actor);
  const { count } = await prisma.savedSnippet.deleteMany({ where: { userId: actor.id, id } });
  if (count === 0) throw noSuchSnippet();
  emit(tx, actor.realmId, [
    savedSnippetRemoved({ saved_snippet_id: id }, { audience: [actor.id] }),
  ]);
}

/** Locks the account until the transaction ends, so that its clients receive events in the order of the changes. */
async function lockedPrisma(tx: Tx, { realmId, id }: Account) {
  await lockAccount(tx, realmId, id);
  return tx.prisma();
}

function noSuchSnippet() {
  return errors.notFound404("You have no such saved snippet");
}
