import { errors, type SavedSnippet } from "@carillon/contract";
import { column, readList, statement, type PagedList, type Sql } from "@carillon/db";
import { isLongerThan } from "@carillon/kit";
import { maxMessageLength } from "@carillon/model";

/** Code points of a title. */
const maxTitleLength = 60;

const sizes = statement({
  name: "saved-snippets-sizes",
  text: `SELECT id, octet_length(content) + 200 AS bytes FROM saved_snippets WHERE user_id = $1 ORDER BY id`,
  row: { id: column.int, bytes: column.int.neverNullHere() },
});

const byIds = statement({
  name: "saved-snippets-by-ids",
  text: `SELECT id, title, content, floor(extract(epoch FROM date_created))::bigint AS date_created
    FROM saved_snippets WHERE user_id = $1 AND id = ANY(ARRAY(SELECT unnest($2::int[]))) ORDER BY id`,
  row: { id: column.int, title: column.text, content: column.text, date_created: column.bigint },
});

/**
 * What the account has saved, the first one first: all of it, or page by page where it is large.
 * @param sql a transaction, repeatable read
 */
export async function listSavedSnippets(
  sql: Sql,
  userId: number,
): Promise<SavedSnippet[] | PagedList<SavedSnippet>> {
  return readList(sql, await sql.rows(sizes, [userId]), (one, ids) =>
    one.rows(byIds, [userId, ids]),
  );
}

/** A snippet as clients get it. */
export function presentSnippet(row: {
  readonly id: number;
  readonly title: string;
  readonly content: string;
  readonly dateCreated: Date;
}): SavedSnippet {
  const { id, title, content, dateCreated } = row;
  return { id, title, content, date_created: Math.floor(dateCreated.getTime() / 1_000) };
}

/** @throws ApiError `BAD_REQUEST` where it is empty or too long */
export function checkedTitle(given: string): string {
  return checked("title", given, maxTitleLength);
}

/** @throws ApiError `BAD_REQUEST` where it is empty or too long */
export function checkedContent(given: string): string {
  return checked("content", given, maxMessageLength);
}

function checked(what: string, given: string, limit: number): string {
  const text = given.trim();
  if (text === "") throw errors.badRequest(`${what} must not be empty`);
  if (isLongerThan(text, limit))
    throw errors.badRequest(`${what} must not have more than ${limit} characters`);
  return text;
}
