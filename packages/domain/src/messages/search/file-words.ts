import { column, statement, type Sql } from "@carillon/db";

const file = statement({
  name: "file-words",
  text: "SELECT gin_clean_pending_list('messages_search_idx'::regclass) AS pages",
  row: { pages: column.bigint },
});

/**
 * Puts the words of new messages where the search index has them in order. Sending leaves them in a list, which every
 * search reads from its beginning to its end.
 * @returns how many pages the list had, of 8 kB
 */
export async function fileWords(sql: Sql): Promise<number> {
  return (await sql.rows(file))[0]?.pages ?? 0;
}
