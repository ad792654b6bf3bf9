import { statement, notNull, type Sql } from "@carillon/db";

/** Folds texts to lower case as the database does, for maps with the keys of its unique indexes. */
export interface Folding {
  /** Returns the text in lower case, or throws an Error if the folding depends on the database and was not loaded. */
  readonly fold: (text: string) => string;
}

/**
 * Characters that every locale of PostgreSQL folds alike: ASCII except the capital I, whose lower case is a dotless ı
 * in Turkish and Azerbaijani.
 */
const foldedAlikeEverywhere = /^[\0-\x48\x4a-\x7f]*$/;

const folded = statement({
  name: "fold-case",
  text: "SELECT given AS text, lower(given) AS folded FROM unnest($1::text[]) AS given",
  overrides: { text: notNull, folded: notNull },
});

/**
 * Loads how the database folds the texts (docs/decisions/047): JavaScript folds some letters differently, depending on
 * the database's locale. Sends no query if no text contains such letters.
 */
export async function loadFolding(sql: Sql, texts: Iterable<string>): Promise<Folding> {
  const unsure = textsToAsk(texts);
  return unsure.length === 0 ? foldingOf([]) : askFolding(sql, unsure);
}

/**
 * Loads the folding, and sends a query even if none is needed. For `inOneStatement`: a query that is sometimes left out
 * would double the number of statements that it prepares.
 */
export function askFolding(sql: Sql, texts: Iterable<string>): Promise<Folding> {
  return sql.rows(folded, [textsToAsk(texts)]).then(foldingOf);
}

function textsToAsk(texts: Iterable<string>): string[] {
  return [...new Set(texts)].filter((text) => !foldedAlikeEverywhere.test(text));
}

function foldingOf(rows: ReadonlyArray<{ text: string; folded: string }>): Folding {
  const known = new Map(rows.map((row) => [row.text, row.folded]));
  return {
    fold(text) {
      if (foldedAlikeEverywhere.test(text)) return text.toLowerCase();
      const key = known.get(text);
      if (key === undefined) throw new Error("the folding of this text was not loaded");
      return key;
    },
  };
}
