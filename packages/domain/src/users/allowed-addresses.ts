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
  const refusal = await addressRefusal(sql, realmId, email);
  if (refusal !== undefined) throw errors.badRequest(refusal);
}

/**
 * Returns why no new account of the organization may have the address (users.md §5.1); undefined if one may.
 * @param email a valid address
 */
export async function addressRefusal(
  sql: Sql,
  realmId: number,
  email: string,
): Promise<string | undefined> {
  const [refusal] = await addressRefusals(sql, realmId, [email]);
  return refusal;
}

/** Returns for each address what {@link addressRefusal} does. */
export async function addressRefusals(
  sql: Sql,
  realmId: number,
  emails: readonly string[],
): Promise<Array<string | undefined>> {
  const settings = await loadOrganizationSettings(sql, realmId);
  const addresses = emails.map((email) => {
    const [local = "", domain = ""] = email.trim().toLowerCase().split("@");
    return { local, domain };
  });
  if (settings.emails_restricted_to_domains) {
    const listed = await listDomains(sql, realmId);
    return addresses.map(({ local, domain }) => {
      if (local.includes("+")) return "The organization accepts no addresses with a + before the @";
      const isAllowed = listed.some(
        (entry) =>
          domain === entry.domain ||
          (entry.allow_subdomains && domain.endsWith(`.${entry.domain}`)),
      );
      return isAllowed ? undefined : "The organization accepts no addresses of this domain";
    });
  }
  if (!settings.disallow_disposable_email_addresses) return addresses.map(() => undefined);
  const list: ReadonlySet<string> = await loadList();
  return addresses.map(({ domain }) =>
    isDisposable(list, domain) ? "The organization accepts no disposable addresses" : undefined,
  );
}

/** Loads the list of disposable domains when first needed: 8,000 domains, 170 KB. */
const loadList = whenNeeded(async () =>
  (await import("./disposable-domains.ts")).disposableEmailBlocklistSet(),
);

/** Returns whether the domain or a parent of it is in the list. */
function isDisposable(list: ReadonlySet<string>, domain: string): boolean {
  const labels = domain.split(".");
  for (let i = 0; i < labels.length - 1; i++) if (list.has(labels.slice(i).join("."))) return true;
  return false;
}
