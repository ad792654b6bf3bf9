/*
 * A history is read with its message, by everybody who reads that, and written anew with each change. So the oldest
 * entries go where there are very many, or where the texts that they keep are very long.
 */

/** Entries of one message's history. */
const mostEntries = 1_000;
/** Characters of earlier texts and their HTML, all together; the newest entry stays, however long it is. */
const mostCharacters = 100_000;

/** SQL: the history with one entry more, which has an earlier text. @param history may be null */
export function withEdit(entry: string, history: string): string {
  const characters = ["prev_content", "prev_rendered_content"]
    .map((text) => `length(coalesce(entry->>'${text}', ''))`)
    .join(" + ");
  return `(SELECT jsonb_agg(entry ORDER BY n) FROM (
      SELECT entry, n, sum(${characters}) OVER (ORDER BY n) AS characters
      FROM jsonb_array_elements(jsonb_build_array(${entry}) || coalesce(${history}, '[]')) WITH ORDINALITY AS h (entry, n)
    ) h WHERE n = 1 OR (n <= ${mostEntries} AND characters <= ${mostCharacters}))`;
}

/** SQL: the history with one entry more, which has no text. @param history may be null */
export function withMove(entry: string, history: string): string {
  return `jsonb_build_array(${entry}) || CASE WHEN jsonb_array_length(${history}) >= ${mostEntries}
    THEN ${history} - -1 ELSE coalesce(${history}, '[]') END`;
}
