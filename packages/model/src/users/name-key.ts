/** Code points that Unicode lists as ignorable where nothing displays them, as PostgreSQL writes them in a pattern. */
const ignorable =
  "\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B-\\u200F\\u2028-\\u202E\\u2060-\\u206F\\u2800\\u3164" +
  "\\uFE00-\\uFE0F\\uFEFF\\uFFA0\\uFFF0-\\uFFFB\\U0001BCA0-\\U0001BCA3\\U0001D173-\\U0001D17A\\U000E0000-\\U000E0FFF";

/**
 * SQL of what names of accounts are compared by: in compatibility form, without what cannot be seen, with single spaces,
 * in the database's lower case (docs/decisions/047). Names of earlier versions may have invisible characters.
 * @param name an SQL expression
 */
export function nameKeySql(name: string): string {
  const visible = `regexp_replace(normalize(${name}, NFKC), '[${ignorable}]+', '', 'g')`;
  return `lower(btrim(regexp_replace(${visible}, '\\s+', ' ', 'g')))`;
}
