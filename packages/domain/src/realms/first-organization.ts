import type { Account, Site } from "@carillon/model";
import { roles } from "@carillon/contract";
import { lockKey, type Database, type Tx } from "@carillon/db";
import { randomKey } from "@carillon/kit";

import { insertUser } from "../users/insert-user.ts";
import { hashPassword } from "../users/passwords.ts";
import { createOrganization, createFirstChannel } from "./create-organization.ts";

/** The names of the first accounts and of their credential files; the owner comes first. */
const firstAccountNames = ["owner", "admin", "moderator", "member", "guest", "bot"] as const;

export type FirstAccountName = (typeof firstAccountNames)[number];

/** An account of the first organization, with its credentials. */
export interface FirstAccount {
  readonly name: FirstAccountName;
  readonly fullName: string;
  readonly email: string;
  /** null for the bot */
  readonly password: string | null;
  readonly apiKey: string;
}

export interface FirstOrganizationOptions {
  /** False creates only the owner. */
  readonly demo: boolean;
  /** From {@link firstAccounts}, if the caller has stored the credentials before; default: new credentials. */
  readonly accounts?: readonly FirstAccount[];
  /** Default: "Carillon Demo" */
  readonly name?: string;
}

export interface FirstOrganization {
  /** False if the database already had an organization; then nothing was changed and the other fields are empty. */
  readonly created: boolean;
  readonly accounts: readonly FirstAccount[];
  /** The channel with all members; 0 if nothing was created. */
  readonly channelId: number;
}

const roleOf: Readonly<Record<FirstAccountName, number>> = {
  owner: roles.owner,
  admin: roles.administrator,
  moderator: roles.moderator,
  member: roles.member,
  guest: roles.guest,
  bot: roles.member,
};

const fullNames: Readonly<Record<FirstAccountName, string>> = {
  owner: "Olivia Owner",
  admin: "Adam Admin",
  moderator: "Mona Moderator",
  member: "Max Member",
  guest: "Greta Guest",
  bot: "Bert Bot",
};

/**
 * Creates the first organization in one transaction, unless the database has one: its owner, who may create users and
 * change e-mail addresses, the demo accounts, and a default channel with all of them. Sends the welcome messages.
 * Several processes can safely run it at once.
 */
export async function createFirstOrganization(
  db: Database,
  site: Site,
  options: FirstOrganizationOptions,
): Promise<FirstOrganization> {
  const { name = "Carillon Demo", demo } = options;
  const accounts = options.accounts ?? firstAccounts(demo);
  const hashes = await Promise.all(
    accounts.map(async ({ password }) =>
      password === null ? undefined : await hashPassword(password),
    ),
  );
  const people = accounts.map((account, index) => ({ ...account, passwordHash: hashes[index] }));
  return db.transaction(async (tx) => {
    await lockKey(tx, "firstOrganization", 0);
    const prisma = await tx.prisma();
    if (await prisma.realm.findFirst({ select: { id: true } }))
      return { created: false, accounts: [], channelId: 0 };
    const channelId = await fill(tx, site, name, people);
    return { created: true, accounts, channelId };
  });
}

type Person = FirstAccount & { readonly passwordHash: string | undefined };

/** Creates the organization with its owner, the other accounts and the channel, and returns the channel's id. */
async function fill(
  tx: Tx,
  site: Site,
  name: string,
  [first, ...others]: readonly Person[],
): Promise<number> {
  if (first?.name !== "owner") throw new Error("the first account must be the owner");
  const created = await createOrganization(tx, site, {
    subdomain: "",
    name,
    owner: newUser(first),
  });
  const { realm, owner } = created;
  const members: Account[] = [owner];
  for (const person of others) {
    const bot = person.name === "bot" ? { isBot: true, botOwnerId: owner.id } : {};
    const user = { ...newUser(person), role: roleOf[person.name], ...bot };
    members.push((await insertUser(tx, site, realm, user)).account);
  }
  return createFirstChannel(tx, realm, members);
}

function newUser({ email, fullName, apiKey, passwordHash }: Person) {
  return { email, fullName, apiKey, ...(passwordHash === undefined ? {} : { passwordHash }) };
}

/**
 * Returns the accounts of a first organization with new credentials: the owner, and with `demo` one of every other role
 * and a bot.
 * @param owner name and address of the owner, if known
 */
export function firstAccounts(
  demo: boolean,
  owner: { readonly fullName?: string | undefined; readonly email?: string | undefined } = {},
): FirstAccount[] {
  return firstAccountNames.slice(0, demo ? firstAccountNames.length : 1).map((name) => ({
    name,
    fullName: (name === "owner" ? owner.fullName : undefined) ?? fullNames[name],
    email: (name === "owner" ? owner.email : undefined) ?? `${name}@carillon.test`,
    password: name === "bot" ? null : randomKey(20),
    apiKey: randomKey(),
  }));
}
