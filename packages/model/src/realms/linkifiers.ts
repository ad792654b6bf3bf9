import type { LinkifierObject } from "@carillon/contract";
import { column, statement, type Sql } from "@carillon/db";
import { Linkifiers } from "@carillon/markdown";

/** The linkifiers of an organization (a row of `realms`) in their order, as one text; that they are few costs a look-up. */
export const linkifiersText = `(SELECT coalesce(json_agg(json_build_array(l.pattern, l.url_template)
  ORDER BY l."order", l.id), '[]') FROM linkifiers l WHERE l.realm_id = realms.id)::text`;

/** Organizations whose linkifiers a process keeps compiled. */
const mostKept = 100;
const kept = new Map<string, Linkifiers>();

/** An organization's linkifiers, ready to be used (rendering.md §3). */
export function linkifiersOf({ linkifiers: text }: { readonly linkifiers: string }): Linkifiers {
  const known = kept.get(text);
  if (known) return known;
  const pairs = JSON.parse(text) as Array<[pattern: string, urlTemplate: string]>;
  const made = new Linkifiers(pairs.map(([pattern, urlTemplate]) => ({ pattern, urlTemplate })));
  if (kept.size >= mostKept) kept.clear();
  kept.set(text, made);
  return made;
}

const all = statement({
  name: "linkifiers",
  text: `SELECT id, pattern, url_template FROM linkifiers WHERE realm_id = $1 ORDER BY "order", id`,
  row: { id: column.int, pattern: column.text, url_template: column.text },
});

/** An organization's linkifiers in their order, as clients get them. */
export function listLinkifiers(sql: Sql, realmId: number): Promise<LinkifierObject[]> {
  return sql.rows(all, [realmId]);
}
