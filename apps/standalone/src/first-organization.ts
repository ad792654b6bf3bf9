import { type FirstAccount, firstAccounts } from "@carillon/domain";
import type { PlannedOrganization } from "./planned-organization.ts";
import type { CredentialFiles } from "./zuliprc.ts";

/**
 * Makes the organization with these accounts in one transaction, unless the database has one.
 * @returns false when there was one; then nothing was changed
 */
export type CreateOrganization = (
  accounts: readonly FirstAccount[],
  name: string | undefined,
) => Promise<boolean>;

/**
 * At the first start makes the organization and leaves the credentials of its accounts as files; at a later
 * one changes nothing.
 * @param options.planned undefined: none is made
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
  // Files that waited already: the attempt before got as far as the commit.
  if (created || waiting) await files.publish();
  else await files.discard();
}
