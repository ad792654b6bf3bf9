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
 * Statements on tables that the migration creates are excluded.
 * @param sql the migration's whole text
 */
export function removals(sql: string): string[] {
  // Masks string literals first: a semicolon, a dash or a keyword in one means nothing.
  const plain = sql.replace(/'(?:[^']|'')*'/g, (text) => text.replace(/[;-]|drop/gi, "_"));
  const statements = plain
    .replace(/--.*$/gm, "")
    .split(";")
    .map((text) => text.trim())
    .filter(Boolean);
  const own = new Set(statements.map((text) => tableOf(/^create table /i, text)).filter(Boolean));
  return statements.filter((text) => {
    const on = tableOf(/^alter table /i, text) ?? /\bon (?:only )?"?(\w+)/i.exec(text)?.[1];
    return rules.some((rule) => rule.test(text)) && !(on !== undefined && own.has(on));
  });
}

function tableOf(begins: RegExp, text: string): string | undefined {
  if (!begins.test(text)) return undefined;
  return /"?(\w+)/.exec(text.replace(begins, "").replace(/^(if (not )?exists |only )+/i, ""))?.[1];
}
