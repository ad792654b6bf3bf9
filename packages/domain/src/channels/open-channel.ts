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
  lockGroupGraphShared,
  isOrganizationAdministrator,
  loadChannels,
  loadMemberships,
  loadRealm,
  loadSubscribedChannels,
  lockChannels,
  lockGroupGraph,
  lockOrganization,
  canAdminister,
  type Memberships,
  noSuchChannel,
  type Realm,
  loadAfter,
} from "@carillon/model";

/** A locked channel that the actor administers, with the facts for further permission checks. */
export interface OpenChannel extends Holder {
  readonly channel: Channel;
  /** Whether the actor may read its messages, which some changes also require. */
  readonly isReadable: boolean;
}

/**
 * Locks a channel (which may be archived) for a change, then reads all facts for the permission checks, so that a second
 * request sees the changes of the first (docs/decisions/012). Sending to the channel and subscribing are blocked
 * meanwhile. Before locking, checks whether the account administers the channel, so that an account without the right
 * neither waits for locks nor blocks others, nor learns anything from the response time (channels.md §3).
 * @param graph "shared" to lock the group graph in shared mode; "exclusive" is needed to change permissions, names or default
 * channels, which transactions with the shared lock rely on
 * @param organization whether to lock the organization's row too
 * @throws ApiError `CANNOT_ADMINISTER_CHANNEL` if the actor may read the channel but not administer it; otherwise
 * `BAD_REQUEST`, as if it did not exist (channels.md §5.2)
 */
export async function openChannel(
  tx: Tx,
  account: Account,
  channelId: number,
  graph: "exclusive" | "shared",
  { organization = false } = {},
): Promise<OpenChannel> {
  const { realmId } = account;
  requireAdministrator(
    account,
    channelId,
    await inOneStatement(tx, (one) => load(one, account, channelId)),
  );
  const { actor, realm, facts } = await loadAfter(
    [
      graph === "exclusive" ? lockGroupGraph(tx, realmId) : lockGroupGraphShared(tx, realmId),
      organization ? lockOrganization(tx, realmId) : undefined,
      lockChannels(tx, [channelId]),
    ],
    {
      actor: currentActor(tx, account),
      realm: loadRealm(tx, realmId),
      facts: load(tx, account, channelId),
    },
  );
  return { actor, realm, ...requireAdministrator(actor, channelId, facts) };
}

function load(sql: Sql, { id, realmId }: Account, channelId: number) {
  return Promise.all([
    loadChannels(sql, realmId, [channelId]),
    loadMemberships(sql, [id]),
    loadSubscribedChannels(sql, [id]),
  ]);
}

function requireAdministrator(
  actor: Account,
  channelId: number,
  [channels, memberships, subscribed]: Awaited<ReturnType<typeof load>>,
): Pick<OpenChannel, "channel" | "memberships" | "isReadable"> {
  const channel = channels.get(channelId);
  if (!channel) throw noSuchChannel(channelId);
  const isReadable = hasContentAccess(actor, channel, memberships, subscribed(actor.id, channelId));
  if (!canAdminister(actor, channel, memberships))
    throw isReadable ? errors.cannotAdministerChannel() : noSuchChannel(channelId);
  return { channel, memberships, isReadable };
}

/**
 * Checks that the actor may create private or public channels, or change channels to that kind (channels.md §4.6).
 * @throws ApiError `BAD_REQUEST`
 */
export function assertCanMake(holder: Holder, kind: "private" | "public"): void {
  const permission =
    kind === "private" ? "canCreatePrivateChannelGroup" : "canCreatePublicChannelGroup";
  if (!holdsOfRealm(holder, permission))
    throw errors.badRequest(`You may not make ${kind} channels`);
}

/**
 * Checks that the actor may create web-public channels, or make channels web-public (channels.md §4.8).
 * @throws ApiError `BAD_REQUEST`
 */
export function assertCanMakeWebPublic(holder: Holder): void {
  if (!holder.realm.enableSpectatorAccess)
    throw errors.badRequest("The organization has no web-public channels");
  if (!holdsOfRealm(holder, "canCreateWebPublicChannelGroup"))
    throw errors.badRequest("You may not make web-public channels");
}

/**
 * Checks that a channel with protected history does not restrict who may create topics (channels.md §4.11).
 * @param canCreateTopicGroup the new value of the permission, in canonical form
 * @throws ApiError `BAD_REQUEST` that names both parameters
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
 * Checks that the actor may set the retention period (channels.md §4.9).
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`
 */
export function assertCanSetRetention(actor: Account): void {
  if (!isOwner(actor))
    throw errors.unauthorizedPrincipal("Only owners may set message_retention_days");
}

/** Converts a retention period to the stored value: days, null for the organization's default, −1 for unlimited. */
export function retentionDays(asked: number | "realm_default" | "unlimited"): number | null {
  if (asked === "realm_default") return null;
  return asked === "unlimited" ? -1 : asked;
}

/**
 * Checks that the actor may set the topics policy (channels.md §4.10).
 * @throws ApiError `BAD_REQUEST`
 */
export function assertCanSetTopicsPolicy(holder: Holder): void {
  if (isOrganizationAdministrator(holder.actor)) return;
  if (!holdsOfRealm(holder, "canSetTopicsPolicyGroup"))
    throw errors.badRequest("You may not set topics_policy");
}

/** These permissions allow deleting from the organization's history. */
const deletionPermissions: readonly string[] = [
  channelPermissions.canDeleteAnyMessageGroup.name,
  channelPermissions.canDeleteOwnMessageGroup.name,
];

/**
 * Checks that the actor may change the deletion permissions (channels.md §2).
 * @param names changed permissions of a channel in the wire format
 * @throws ApiError `BAD_REQUEST` for the first one that the actor may not set
 */
export function assertCanSetDeletion(holder: Holder, names: readonly string[]): void {
  const asked = names.find((name) => deletionPermissions.includes(name));
  if (asked !== undefined && !holdsOfRealm(holder, "canSetDeleteMessagePolicyGroup"))
    throw errors.badRequest(`You may not set ${asked}`);
}

/**
 * Checks that a folder exists; it may be archived (channels.md §4.3).
 * @throws ApiError `BAD_REQUEST` if the organization has none with this id
 */
export async function checkFolder(tx: Tx, realmId: number, folderId: number): Promise<void> {
  const prisma = await tx.prisma();
  const folder = await prisma.channelFolder.findFirst({
    where: { realmId, id: folderId },
    select: { id: true },
  });
  if (!folder) throw errors.badRequest("There is no such channel folder");
}

/** An actor, with the facts for permission checks, read under the locks of the change. */
export interface Holder {
  readonly actor: Account;
  readonly realm: Realm;
  /** Memberships of the actor. */
  readonly memberships: Memberships;
}

/** Whether the actor has the organization's permission. */
function holdsOfRealm({ actor, realm, memberships }: Holder, permission: RealmPermission): boolean {
  return memberships.holds(actor, realmPermissions[permission], realm.groups[permission]);
}
