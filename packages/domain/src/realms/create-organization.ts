import {
  type Account,
  type Realm,
  type Site,
  createSystemGroups,
  defaultGroups,
  groupIds,
  hostOf,
  initialDefaults,
  loadRealm,
} from "@carillon/model";
import { realmPermissions, roles } from "@carillon/contract";
import { column, statement, type Tx } from "@carillon/db";

import { insertUser, type NewUser } from "../users/insert-user.ts";

export interface NewOrganization {
  /** The first label of its host name; empty for the one that has the host to itself. */
  readonly subdomain: string;
  readonly name: string;
  readonly description?: string;
  readonly owner: Omit<NewUser, "role" | "isBot" | "systemBotKind">;
}

export interface CreatedOrganization {
  readonly realm: Realm;
  /** May create users and change e-mail addresses (users.md §3). */
  readonly owner: Account;
  readonly ownerApiKey: string;
  readonly notificationBot: Account;
  readonly welcomeBot: Account;
}

const nextId = statement({
  name: "realm-next-id",
  text: "SELECT nextval(pg_get_serial_sequence('realms', 'id'))::int AS id",
  row: { id: column.int },
});

/**
 * Makes an organization: its system groups, every permission at its default, the settings that new accounts start
 * with, its own two bots and its owner, whom the caller is to welcome. Nobody listens yet, so there are no events.
 */
export async function createOrganization(
  tx: Tx,
  site: Site,
  organization: NewOrganization,
): Promise<CreatedOrganization> {
  const row = await tx.first(nextId);
  const id = row?.id ?? 0;
  const groups = await createSystemGroups(tx, id);
  const prisma = await tx.prisma();
  await prisma.realm.create({
    data: {
      id,
      subdomain: organization.subdomain,
      name: organization.name,
      description: organization.description ?? "",
      ...groupIds(defaultGroups(realmPermissions, groups)),
    },
  });
  await prisma.eventHead.create({ data: { realmId: id } });
  await prisma.realmUserDefaults.create({ data: { realmId: id, settings: initialDefaults() } });
  const realm = await loadRealm(tx, id);
  const bot = (kind: "notification" | "welcome", fullName: string) =>
    insertUser(tx, site, realm, {
      email: `${kind}-bot@${hostOf(site, realm)}`,
      fullName,
      isBot: true,
      systemBotKind: kind,
    });
  const notificationBot = await bot("notification", "Notification Bot");
  const welcomeBot = await bot("welcome", "Welcome Bot");
  const owner = await insertUser(tx, site, realm, {
    canCreateUsers: true,
    canChangeUserEmails: true,
    ...organization.owner,
    role: roles.owner,
  });
  return {
    realm,
    owner: owner.account,
    ownerApiKey: owner.apiKey,
    notificationBot: notificationBot.account,
    welcomeBot: welcomeBot.account,
  };
}
