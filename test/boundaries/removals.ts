const rules = [
  /^drop (table|view|function|type|sequence|schema)\b/i,
  /^alter table .*\b(drop (?!default|not null|constraint)|rename\b|set not null\b|drop default\b)/is,
  /^alter table .*\balter (column )?\S+ (set data )?type\b/is,
  /^alter table .*\badd (column )?(if not exists )?(?!column\b)[^,]*\bnot null\b(?![^,]*\bdefault\b)(?<!\bdefault\b[^,]*)/is,
  /^alter table .*\badd (constraint\b|check\b|unique\b|primary key\b)/is,
  /^create unique index\b/i,
];

/**
 * Returns the statements of a migration that could make the previous build fail: what they drop, rename or forbid.
 * Statements on tables that the migration creates, or only on columns that it adds, are excluded.
 * @param sql the migration's whole text
 * @param added columns that earlier migrations of the same release add, as {@link addedColumns} returns them
 */
export function removals(sql: string, added: Iterable<string> = []): string[] {
  const statements = statementsOf(sql);
  const columns = new Set([...added, ...addedColumns(sql)]);
  const own = new Set(statements.map((text) => tableOf(/^create table /i, text)).filter(Boolean));
  return statements.filter((text) => {
    const on = tableOf(/^alter table /i, text) ?? /\bon (?:only )?"?(\w+)/i.exec(text)?.[1];
    return (
      rules.some((rule) => rule.test(text)) &&
      !(on !== undefined && own.has(on)) &&
      !isUniqueAmong(columns, text)
    );
  });
}

/** Returns the names of the columns that a migration adds to tables. */
export function addedColumns(sql: string): string[] {
  return statementsOf(sql)
    .filter((text) => /^alter table /i.test(text))
    .flatMap((text) =>
      [...text.matchAll(/\badd column "?(\w+)/gi)].flatMap((found) => found[1] ?? []),
    );
}

/** Returns the statements of a migration without comments, with a mask over semicolons and dashes in literals. */
export function statementsOf(sql: string): string[] {
  // Masks string literals first: a semicolon, a dash or a keyword in one means nothing.
  const plain = sql.replace(/'(?:[^']|'')*'/g, (text) => text.replace(/[;-]|drop/gi, "_"));
  return plain
    .replace(/--.*$/gm, "")
    .split(";")
    .map((text) => text.trim())
    .filter(Boolean);
}

/** Whether the statement makes columns unique that the migration adds: builds without it leave them null. */
function isUniqueAmong(columns: ReadonlySet<string>, text: string): boolean {
  const [, list] = /^create unique index .*? on \S+ \(([^)]*)\)/is.exec(text) ?? [];
  const named = list?.split(",").map((name) => name.trim().replaceAll('"', "")) ?? [];
  return named.length > 0 && named.every((name) => columns.has(name));
}

/** Returns the table of a statement that begins so; undefined for other statements. */
export function tableOf(begins: RegExp, text: string): string | undefined {
  if (!begins.test(text)) return undefined;
  return /"?(\w+)/.exec(text.replace(begins, "").replace(/^(if (not )?exists |only )+/i, ""))?.[1];
}
