import { errors } from "@carillon/contract";
import type { Sql } from "@carillon/db";
import { whenNeeded } from "@carillon/kit";
import { listDomains, loadOrganizationSettings } from "@carillon/model";

/**
 * Checks that a new account of the organization may have the address (users.md §5.1).
 * @param email a valid address
 * @throws ApiError `BAD_REQUEST`
 */
export async function checkAddressIsAllowed(
  sql: Sql,
  realmId: number,
  email: string,
): Promise<void> {
  const settings = await loadOrganizationSettings(sql, realmId);
  const [local = "", domain = ""] = email.trim().toLowerCase().split("@");
  if (settings.emails_restricted_to_domains) {
    if (local.includes("+"))
      throw errors.badRequest("The organization accepts no addresses with a + before the @");
    const listed = await listDomains(sql, realmId);
    const isAllowed = listed.some(
      (entry) =>
        domain === entry.domain || (entry.allow_subdomains && domain.endsWith(`.${entry.domain}`)),
    );
    if (!isAllowed) throw errors.badRequest("The organization accepts no addresses of this domain");
  } else if (settings.disallow_disposable_email_addresses && (await isDisposable(domain)))
    throw errors.badRequest("The organization accepts no disposable addresses");
}

/** Loads the list of disposable domains when first needed: 8,000 domains, 170 KB. */
const loadList = whenNeeded(async () =>
  (await import("./disposable-domains.ts")).disposableEmailBlocklistSet(),
);

/** Returns whether the domain or a parent of it is disposable. */
async function isDisposable(domain: string): Promise<boolean> {
  const list: ReadonlySet<string> = await loadList();
  const labels = domain.split(".");
  for (let i = 0; i < labels.length - 1; i++) if (list.has(labels.slice(i).join("."))) return true;
  return false;
}
