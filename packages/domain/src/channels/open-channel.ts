import {
  channelPermissions,
  errors,
  isOwner,
  type RealmPermission,
  realmPermissions,
} from "@carillon/contract";
import { type Sql, inOneStatement, type Tx } from "@carillon/db";
import {
  type Account,
  type Channel,
  currentActor,
  hasContentAccess,
  holdGroupGraph,
  isOrganizationAdministrator,
  loadChannels,
  loadMemberships,
  loadRealm,
  loadSubscribedChannels,
  lockChannels,
  lockGroupGraph,
  lockOrganization,
  mayAdminister,
  type Memberships,
  noSuchChannel,
  type Realm,
  loadAfter,
} from "@carillon/model";

/** A channel that somebody administers, in the hands of the transaction, with what tells what else they may. */
export interface OpenChannel extends Holder {
  readonly channel: Channel;
  /** Whether the actor may read its messages, which some changes ask for besides. */
  readonly isReadable: boolean;
}

/**
 * Takes the locks that a change of the channel needs, archived ones too, then reads everything that decides: a request
 * that comes second sees what the first has done (docs/decisions/012). Nobody sends to the channel or is subscribed
 * meanwhile. Before that it is asked without a lock whether the account administers the channel: somebody who does not
 * waits for nobody and keeps nobody waiting, and learns nothing from how long it takes (channels.md §3).
 * @param graph whether others may hold the group graph, too; alone it is needed where permissions, names or default
 *   channels change, which those go by who only hold it
 * @param organization whether the organization's row is locked as well
 * @throws ApiError `CANNOT_ADMINISTER_CHANNEL` to who may read the channel but not administer it; `BAD_REQUEST` to
 *   others, for whom it does not exist (channels.md §5.2)
 */
export async function openChannel(
  tx: Tx,
  account: Account,
  channelId: number,
  graph: "alone" | "shared",
  { organization = false } = {},
): Promise<OpenChannel> {
  const { realmId } = account;
  decide(account, channelId, await inOneStatement(tx, (one) => load(one, account, channelId)));
  const { actor, realm, facts } = await loadAfter(
    [
      graph === "alone" ? lockGroupGraph(tx, realmId) : holdGroupGraph(tx, realmId),
      organization ? lockOrganization(tx, realmId) : undefined,
      lockChannels(tx, [channelId]),
    ],
    {
      actor: currentActor(tx, account),
      realm: loadRealm(tx, realmId),
      facts: load(tx, account, channelId),
    },
  );
  return { actor, realm, ...decide(actor, channelId, facts) };
}

function load(sql: Sql, { id, realmId }: Account, channelId: number) {
  return Promise.all([
    loadChannels(sql, realmId, [channelId]),
    loadMemberships(sql, [id]),
    loadSubscribedChannels(sql, [id]),
  ]);
}

function decide(
  actor: Account,
  channelId: number,
  [channels, memberships, subscribed]: Awaited<ReturnType<typeof load>>,
): Pick<OpenChannel, "channel" | "memberships" | "isReadable"> {
  const channel = channels.get(channelId);
  if (!channel) throw noSuchChannel(channelId);
  const isReadable = hasContentAccess(actor, channel, memberships, subscribed(actor.id, channelId));
  if (!mayAdminister(actor, channel, memberships))
    throw isReadable ? errors.cannotAdministerChannel() : noSuchChannel(channelId);
  return { channel, memberships, isReadable };
}

/**
 * Who may have private channels, and who others (channels.md §4.6): new ones, and those that become such.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkMayHave(holder: Holder, kind: "private" | "public"): void {
  const permission =
    kind === "private" ? "canCreatePrivateChannelGroup" : "canCreatePublicChannelGroup";
  if (!holdsOfRealm(holder, permission))
    throw errors.badRequest(`You may not make ${kind} channels`);
}

/**
 * Who may have channels that the web sees (channels.md §4.8).
 * @throws ApiError `BAD_REQUEST`
 */
export function checkMayHaveWebPublic(holder: Holder): void {
  if (!holder.realm.enableSpectatorAccess)
    throw errors.badRequest("The organization has no web-public channels");
  if (!holdsOfRealm(holder, "canCreateWebPublicChannelGroup"))
    throw errors.badRequest("You may not make web-public channels");
}

/**
 * A history that later subscribers do not see cannot have topics that only some may begin (channels.md §4.11).
 * @param canCreateTopicGroup what the permission is to be set to, in canonical form
 * @throws ApiError `BAD_REQUEST` that names both
 */
export function checkTopicsOfProtectedHistory(
  canCreateTopicGroup: unknown,
  everyoneId: number,
): void {
  if (canCreateTopicGroup === everyoneId) return;
  throw errors.badRequest(
    "A channel with protected history needs can_create_topic_group to be role:everyone",
    { parameters: "history_public_to_subscribers, can_create_topic_group" },
  );
}

/**
 * Who decides how long messages are kept (channels.md §4.9).
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`
 */
export function checkMaySetRetention(actor: Account): void {
  if (!isOwner(actor))
    throw errors.unauthorizedPrincipal("Only owners may set message_retention_days");
}

/** How a channel stores what was asked for: null for the organization's own, −1 for ever, or days. */
export function retentionDays(asked: number | "realm_default" | "unlimited"): number | null {
  if (asked === "realm_default") return null;
  return asked === "unlimited" ? -1 : asked;
}

/**
 * Who decides which topics there may be (channels.md §4.10).
 * @throws ApiError `BAD_REQUEST`
 */
export function checkMaySetTopicsPolicy(holder: Holder): void {
  if (isOrganizationAdministrator(holder.actor)) return;
  if (!holdsOfRealm(holder, "canSetTopicsPolicyGroup"))
    throw errors.badRequest("You may not set topics_policy");
}

/** These decide what may vanish from the organization's history. */
const deletionPermissions: readonly string[] = [
  channelPermissions.canDeleteAnyMessageGroup.name,
  channelPermissions.canDeleteOwnMessageGroup.name,
];

/**
 * Who may let others delete messages (channels.md §2).
 * @param names permissions of a channel, on the wire, that are set to something else than before
 * @throws ApiError `BAD_REQUEST` for the first that the actor may not set
 */
export function checkMaySetDeletion(holder: Holder, names: readonly string[]): void {
  const asked = names.find((name) => deletionPermissions.includes(name));
  if (asked !== undefined && !holdsOfRealm(holder, "canSetDeleteMessagePolicyGroup"))
    throw errors.badRequest(`You may not set ${asked}`);
}

/**
 * A folder that a channel is to be in; an archived one will do (channels.md §4.3).
 * @throws ApiError `BAD_REQUEST` when the organization has none with this id
 */
export async function checkFolder(tx: Tx, realmId: number, folderId: number): Promise<void> {
  const prisma = await tx.prisma();
  const folder = await prisma.channelFolder.findFirst({
    where: { realmId, id: folderId },
    select: { id: true },
  });
  if (!folder) throw errors.badRequest("There is no such channel folder");
}

/** Somebody who wants something of a channel, and what tells whether they may, read under the locks of the change. */
export interface Holder {
  readonly actor: Account;
  readonly realm: Realm;
  /** Those of the actor. */
  readonly memberships: Memberships;
}

/** Whether the actor holds the organization's permission. */
function holdsOfRealm({ actor, realm, memberships }: Holder, permission: RealmPermission): boolean {
  return memberships.holds(actor, realmPermissions[permission], realm.groups[permission]);
}
