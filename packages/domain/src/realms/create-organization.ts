import {
  channelPermissions,
  errors,
  initialDefaults,
  realmPermissions,
  roles,
} from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import { isLongerThan } from "@carillon/kit";
import {
  type Account,
  createSystemGroups,
  defaultGroups,
  groupIds,
  hostOf,
  loadRealm,
  loadSystemGroups,
  type Realm,
  type Site,
  subscribe,
} from "@carillon/model";

import { insertChannel } from "../channels/insert-channel.ts";
import { welcome } from "../notices/send.ts";
import { insertUser, type NewUser } from "../users/insert-user.ts";

interface NewOrganization {
  /** The first label of its host name; empty for the organization at the host itself. */
  readonly subdomain: string;
  readonly name: string;
  readonly description?: string;
  readonly owner: Omit<NewUser, "role" | "isBot" | "systemBotKind">;
}

interface CreatedOrganization {
  readonly realm: Realm;
  /** The owner may create users and change e-mail addresses (users.md §3). */
  readonly owner: Account;
  readonly ownerApiKey: string;
  readonly notificationBot: Account;
  readonly welcomeBot: Account;
  readonly schedulingBot: Account;
}

const nextId = statement({
  name: "realm-next-id",
  text: "SELECT nextval(pg_get_serial_sequence('realms', 'id'))::int AS id",
});

/** An organization without people. */
type EmptyOrganization = Omit<CreatedOrganization, "owner" | "ownerApiKey">;

/**
 * Creates an organization: its system groups, permissions and default settings, its system bots and its owner. The caller
 * sends the owner the welcome message. Makes no events, because there are no clients yet.
 */
export async function createOrganization(
  tx: Tx,
  site: Site,
  organization: NewOrganization,
): Promise<CreatedOrganization> {
  const empty = await createEmptyOrganization(tx, site, organization);
  const owner = await insertUser(tx, site, empty.realm, {
    canCreateUsers: true,
    canChangeUserEmails: true,
    ...organization.owner,
    role: roles.owner,
  });
  return { ...empty, owner: owner.account, ownerApiKey: owner.apiKey };
}

/** Creates an organization with its system groups and bots, but without people. An import adds them. */
export async function createEmptyOrganization(
  tx: Tx,
  site: Site,
  organization: Omit<NewOrganization, "owner">,
): Promise<EmptyOrganization> {
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
  const bot = (kind: "notification" | "scheduling" | "welcome", fullName: string) =>
    insertUser(tx, site, realm, {
      email: `${kind}-bot@${hostOf(site, realm)}`,
      fullName,
      isBot: true,
      systemBotKind: kind,
    });
  const notificationBot = await bot("notification", "Notification Bot");
  const welcomeBot = await bot("welcome", "Welcome Bot");
  const schedulingBot = await bot("scheduling", "Scheduling Bot");
  return {
    realm,
    notificationBot: notificationBot.account,
    welcomeBot: welcomeBot.account,
    schedulingBot: schedulingBot.account,
  };
}

/** Name of the channel with all members. */
const firstChannelName = "general";

/**
 * Gives a new organization its first channel, which is a default channel, subscribes the members to it and sends the
 * people the welcome message. There are no clients yet.
 * @returns the channel's id
 */
export async function createFirstChannel(
  tx: Tx,
  realm: Realm,
  members: readonly Account[],
): Promise<number> {
  const groups = groupIds(defaultGroups(channelPermissions, await loadSystemGroups(tx, realm.id)));
  const channel = await insertChannel(tx, realm.id, {
    name: firstChannelName,
    creatorId: null,
    groups,
    isDefault: true,
  });
  if (!channel) throw new Error("a new organization has no channels");
  await subscribe(
    tx,
    [{ channelId: channel.id }],
    members.map(({ id }) => id),
  );
  await welcome(
    tx,
    realm,
    members.filter(({ isBot }) => !isBot),
  );
  return channel.id;
}

/** Maximum code points of the column. */
const maxName = 40;

/**
 * Trims and checks the name of an organization.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkOrganizationName(text: string): string {
  const name = text.trim();
  if (name === "") throw errors.badRequest("name must not be blank");
  if (isLongerThan(name, maxName))
    throw errors.badRequest(`name must not have more than ${maxName} characters`);
  return name;
}

/** A label of a host name (RFC 1035, and may begin with a digit), as long as the column allows. */
const label = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

/**
 * Checks a subdomain; empty for the organization at the host of `PUBLIC_URL` itself.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkSubdomain(text: string): string {
  if (text !== "" && !label.test(text))
    throw errors.badRequest(
      "subdomain must be one label of a host name: 1 to 40 letters a-z, digits and hyphens, without a hyphen at either end",
    );
  return text;
}
