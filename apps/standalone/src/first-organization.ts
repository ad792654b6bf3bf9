import { type FirstAccount, firstAccounts } from "@carillon/domain";
import type { CredentialFiles } from "./zuliprc.ts";

/**
 * Makes the organization with these accounts in one transaction, unless the database has one.
 * @returns false when there was one; then nothing was changed
 */
export type CreateOrganization = (accounts: readonly FirstAccount[]) => Promise<boolean>;

/**
 * At the first start makes the organization and leaves the credentials of its accounts as files; at a later
 * one changes nothing.
 * @param options.demo false makes the owner only
 */
export async function ensureFirstOrganization(options: {
  files: CredentialFiles;
  demo: boolean;
  site: string;
  create: CreateOrganization;
}): Promise<void> {
  const { files, demo, site, create } = options;
  if (files.published()) return;
  const waiting = await files.waiting();
  const accounts = waiting ?? firstAccounts(demo);
  if (!waiting) await files.prepare(accounts, site);
  const created = await create(accounts);
  // Files that waited already: the attempt before got as far as the commit.
  if (created || waiting) await files.publish();
  else await files.discard();
}
