import { randomKey } from "@carillon/kit";
import type { CredentialFiles } from "./zuliprc.ts";

/** An account of the first organization, with the credentials that it is to have. */
export interface FirstAccount {
  /** Its role, or `bot`: also the name of its zuliprc file. */
  name: "owner" | "admin" | "moderator" | "member" | "guest" | "bot";
  fullName: string;
  email: string;
  password: string;
  apiKey: string;
}

/** What the organization is made of; everybody is in its one channel. */
export interface FirstOrganization {
  name: string;
  channel: string;
  accounts: readonly FirstAccount[];
}

/**
 * Makes the organization in one transaction, unless the database has one.
 * @returns false when there was one; then nothing was changed
 */
export type CreateOrganization = (organization: FirstOrganization) => Promise<boolean>;

const people: ReadonlyArray<Pick<FirstAccount, "name" | "fullName">> = [
  { name: "owner", fullName: "Olivia Owner" },
  { name: "admin", fullName: "Adam Admin" },
  { name: "moderator", fullName: "Mona Moderator" },
  { name: "member", fullName: "Max Member" },
  { name: "guest", fullName: "Greta Guest" },
  { name: "bot", fullName: "Bert Bot" },
];

export const firstChannel = "general";

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
  const accounts = waiting ?? people.slice(0, demo ? people.length : 1).map(withCredentials);
  if (!waiting) await files.prepare(accounts, site);
  const created = await create({ name: "Carillon Demo", channel: firstChannel, accounts });
  // Files that waited already: the attempt before got as far as the commit.
  if (created || waiting) await files.publish();
  else await files.discard();
}

function withCredentials(person: Pick<FirstAccount, "name" | "fullName">): FirstAccount {
  return {
    ...person,
    email: `${person.name}@carillon.test`,
    password: randomKey(20),
    apiKey: randomKey(32),
  };
}
