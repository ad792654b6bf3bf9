import { type FirstAccount, firstAccounts } from "@carillon/domain";
import type { PlannedOrganization } from "./planned-organization.ts";
import type { CredentialFiles } from "./zuliprc.ts";

/**
 * Creates the organization with these accounts in one transaction, unless the database has one.
 * @returns false when it has one; nothing is changed then
 */
export type CreateOrganization = (
  accounts: readonly FirstAccount[],
  name: string | undefined,
) => Promise<boolean>;

/**
 * Creates the organization and the credential files of its accounts at the first start; changes nothing at a later one.
 * @param options.planned undefined: creates none
 */
export async function ensureFirstOrganization(options: {
  files: CredentialFiles;
  planned: PlannedOrganization | undefined;
  site: string;
  create: CreateOrganization;
}): Promise<void> {
  const { files, planned, site, create } = options;
  if (files.published() || !planned) return;
  const waiting = await files.waiting();
  const accounts = waiting ?? firstAccounts(planned.demo, planned.owner);
  if (!waiting) await files.prepare(accounts, site);
  const created = await create(accounts, planned.name);
  // If prepared files existed, the previous attempt may have committed the organization.
  if (created || waiting) await files.publish();
  else await files.discard();
}
