import type { DomainObject } from "@carillon/contract";
import { type Sql, statement } from "@carillon/db";

const all = statement({
  name: "organization-domains",
  text: "SELECT domain, allow_subdomains FROM realm_domains WHERE realm_id = $1 ORDER BY domain",
});

/** Lists the domains that addresses of an organization may have (users.md §5.1). */
export function listDomains(sql: Sql, realmId: number): Promise<DomainObject[]> {
  return sql.rows(all, [realmId]);
}
