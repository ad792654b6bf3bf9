import { column, statement, type Sql } from "@carillon/db";

/** Texts as the database folds them, for maps by what its unique indexes compare. */
export interface Folding {
  /** @throws Error for a text that was not among those given, and whose folding depends on the database */
  readonly fold: (text: string) => string;
}

/**
 * Every locale that PostgreSQL may have folds these alike: ASCII, without the capital I, whose lower case is a dotless ı
 * in Turkish and Azerbaijani.
 */
const foldedAlikeEverywhere = /^[\0-\x48\x4a-\x7f]*$/;

const folded = statement({
  name: "fold-case",
  text: "SELECT given AS text, lower(given) AS folded FROM unnest($1::text[]) AS given",
  row: { text: column.text.neverNullHere(), folded: column.text.neverNullHere() },
});

/**
 * Asks the database how it folds the texts (docs/decisions/047): JavaScript folds some letters in other ways, and which
 * ones depends on the database's locale. Asks nothing where none of them has such letters.
 */
export async function loadFolding(sql: Sql, texts: Iterable<string>): Promise<Folding> {
  const unsure = textsToAsk(texts);
  return unsure.length === 0 ? foldingOf([]) : askFolding(sql, unsure);
}

/** The same, always with a statement: for what is asked `together`, of which there are to be few combinations. */
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
      if (key === undefined) throw new Error("a text whose folding was not asked for");
      return key;
    },
  };
}
