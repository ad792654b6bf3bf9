import { statement, type Sql } from "@carillon/db";
import { BadParameter, maxInt } from "../http/parameters.ts";

const matching = statement({
  name: "dashboard-organizations-named",
  text: `SELECT id, subdomain, name FROM realms
    WHERE id = $2 OR subdomain = lower($1) OR lower(name) = lower($1) ORDER BY id LIMIT 5`,
});

/** The id in `12` or `#12`; undefined for any other text. */
export function idIn(text: string): number | undefined {
  const digits = /^#?(\d{1,10})$/.exec(text)?.[1];
  return digits !== undefined && Number(digits) <= maxInt ? Number(digits) : undefined;
}

/**
 * Finds an organization by its id, its subdomain or its name.
 * @returns its id; -1, which no organization has, if none matches
 * @throws BadParameter when several have the name
 */
export async function findOrganizationId(sql: Sql, text: string): Promise<number> {
  const id = idIn(text);
  const found = await sql.rows(matching, [text, id ?? null]);
  const exact =
    found.find((row) => row.id === id) ??
    found.find(({ subdomain }) => subdomain === text.toLowerCase());
  if (exact) return exact.id;
  const [first, second] = found;
  if (first && second) {
    const choices = found.map((row) => `#${row.id} (${row.subdomain || "no subdomain"})`);
    throw new BadParameter(
      `several organizations are called ${text}: give one of ${choices.join(", ")}`,
    );
  }
  return first?.id ?? -1;
}
