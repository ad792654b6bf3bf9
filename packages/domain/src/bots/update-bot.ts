import {
  errors,
  isGuest,
  isOwner,
  type NewEvent,
  type UpdatedBot,
  type WebhookConfig,
} from "@carillon/contract";
import { sqlState, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  type AuditEntry,
  botUpdatedEvent,
  checkBotName,
  checkFullName,
  checkNameIsFree,
  currentActor,
  isOrganizationAdministrator,
  loadAdministeredBots,
  loadRealm,
  loadUserVisibility,
  lockAccounts,
  lockGroupGraph,
  lockOwnerSet,
  personUpdated,
  ownPictureUrl,
  pictureOf,
  type Realm,
  recordAudit,
  type Site,
  loadAfter,
} from "@carillon/model";

import { botsSeenEvents } from "../users/bots-of-user.ts";
import {
  botWithNewOwner,
  changeRoles,
  checkNewRole,
  gainsPowerOfOwners,
} from "../users/change-role.ts";
import { changeAddress, addressTaken, checkAddressIsFree } from "../users/change-address.ts";
import { renewBotKey } from "../users/api-key.ts";
import { changeService, readService, type ServiceChanges } from "./bot-service.ts";
import { botAdministrators, checkAdministersBot } from "./bots.ts";
import { botAddress, changeBotDefaults, type WantedDefaults } from "./create-bot.ts";
import {
  checkWebhookSecret,
  incomingWebhookBot,
  sealedSecret,
  shownConfig,
} from "./webhook-secret.ts";

/**
 * Changes a bot, which may be deactivated, for its owner or an administrator (users.md §5).
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`; nothing has changed then
 */
export async function updateBot(
  tx: Tx,
  site: Site,
  actor: Account,
  botId: number,
  changes: BotChanges,
): Promise<UpdatedBot> {
  const open = await openBot(tx, actor, botId, changes);
  const wanted = await checkBotChanges(tx, site, open, changes);
  return apply(tx, site, open, wanted, changes).catch((error: unknown) => {
    throw sqlState(error) === "23505" ? addressTaken() : error;
  });
}

/** Locks the bot, the new owner, and all roles until the transaction ends. */
async function openBot(
  tx: Tx,
  actor: Account,
  botId: number,
  { ownerId, role }: BotChanges,
): Promise<OpenBot> {
  const { accounts, now, realm } = await loadAfter(lockGroupGraph(tx, actor.realmId), {
    accounts: lockAccounts(tx, actor.realmId, ownerId === undefined ? [botId] : [botId, ownerId]),
    now: currentActor(tx, actor),
    realm: loadRealm(tx, actor.realmId),
  });
  const bot = accounts.get(botId);
  checkAdministersBot(now, bot);
  if (role !== undefined && isOwner(bot)) await lockOwnerSet(tx, bot.realmId);
  const userVisibility = await loadUserVisibility(tx, now);
  const named = ownerId === undefined ? undefined : accounts.get(ownerId);
  return { realm, actor: now, bot, named: named && userVisibility.sees(named) ? named : undefined };
}

async function apply(
  tx: Tx,
  site: Site,
  { realm, actor, bot }: OpenBot,
  { fullName, role, owner, address, webhookSecret }: WantedOfBot,
  changes: Pick<BotChanges, "defaults" | "service">,
): Promise<UpdatedBot> {
  const events: NewEvent[] = [];
  const audit: AuditEntry[] = [];
  const note = (type: string, before: unknown, now: unknown) =>
    audit.push({ type, userId: bot.id, data: { old: before, new: now } });
  if (fullName !== undefined) {
    const prisma = await tx.prisma();
    await prisma.user.update({
      where: { id: bot.id },
      data: { fullName },
      select: { id: true },
    });
    events.push(personUpdated(bot.id, { full_name: fullName }));
    note("user_full_name_changed", bot.fullName, fullName);
  }
  if (role !== undefined) {
    events.push(...(await changeRoles(tx, realm, [bot], role)));
    note("user_role_changed", bot.role, role);
  }
  if (owner) {
    events.push(...(await changeBotOwner(tx, { ...bot, role: role ?? bot.role }, owner)));
    note("bot_owner_changed", bot.botOwnerId, owner.id);
  }
  const config = await changeWebhookSecret(tx, site, bot, webhookSecret);
  if (config.isChanged)
    audit.push({ type: "bot_webhook_secret_changed", userId: bot.id, data: {} });
  if (owner || gainsPowerOfOwners(bot, role)) await renewBotKey(tx, site, actor.id, bot);
  if (address !== undefined) {
    events.push(...(await changeAddress(tx, bot, address)));
    note("user_email_changed", bot.deliveryEmail, address);
  }
  const now = {
    ...bot,
    fullName: fullName ?? bot.fullName,
    deliveryEmail: address ?? bot.deliveryEmail,
    botOwnerId: owner?.id ?? bot.botOwnerId,
  };
  const defaults = await changeBotDefaults(tx, actor, now, changes.defaults);
  events.push(...defaults.events);
  const service = await changeService(tx, site, now, changes.service);
  if (service) {
    events.push(botUpdatedEvent(bot.id, { services: [service] }, await botAdministrators(tx, now)));
    audit.push({ type: "bot_service_changed", userId: bot.id });
  }
  const current = await readService(tx, now);
  audit.push(...defaults.audit);
  recordAudit(tx, bot.realmId, actor.id, audit);
  emit(tx, bot.realmId, events);
  return {
    full_name: now.fullName,
    avatar_url: ownPictureUrl(site.url, pictureOf(now)),
    ...defaults.now,
    ...(await ownerAddress(tx, now)),
    service_interface: current?.interface_type ?? null,
    service_payload_url: current?.payload_url ?? null,
    config_data: config.shown,
  };
}

/** Stores a new secret, and reads whether the bot has one. */
async function changeWebhookSecret(
  tx: Tx,
  site: Site,
  bot: Account,
  secret: string | undefined,
): Promise<{ isChanged: boolean; shown: WebhookConfig | null }> {
  if (bot.botType !== incomingWebhookBot) return { isChanged: false, shown: null };
  const prisma = await tx.prisma();
  const { webhookSecretSealed: before } = await prisma.user.findUniqueOrThrow({
    where: { id: bot.id },
    select: { webhookSecretSealed: true },
  });
  if (secret === undefined || (secret === "" && before === null))
    return { isChanged: false, shown: shownConfig(before !== null) };
  await prisma.user.update({
    where: { id: bot.id },
    data: { webhookSecretSealed: sealedSecret(site, secret) },
    select: { id: true },
  });
  return { isChanged: true, shown: shownConfig(secret !== "") };
}

async function ownerAddress(tx: Tx, { botOwnerId }: Account): Promise<{ bot_owner?: string }> {
  if (botOwnerId === null) return {};
  const prisma = await tx.prisma();
  const owner = await prisma.user.findUnique({
    where: { id: botOwnerId },
    select: { email: true },
  });
  return owner ? { bot_owner: owner.email } : {};
}

/** The requested changes of a bot; undefined for no change. */
interface BotChanges {
  readonly fullName: string | undefined;
  readonly role: number | undefined;
  readonly ownerId: number | undefined;
  readonly shortName: string | undefined;
  readonly webhookSecret: string | undefined;
  readonly defaults: WantedDefaults;
  readonly service: ServiceChanges;
}

/** A locked bot, the actor, and the new owner. */
interface OpenBot {
  readonly realm: Realm;
  readonly actor: Account;
  readonly bot: Account;
  /** The locked account that `bot_owner_id` names; undefined if the actor cannot see it. */
  readonly named: Account | undefined;
}

/** The fields that actually change. */
interface WantedOfBot {
  readonly fullName: string | undefined;
  readonly role: number | undefined;
  readonly owner: Account | undefined;
  readonly address: string | undefined;
  readonly webhookSecret: string | undefined;
}

/**
 * Checks the requested changes, and returns those that differ from the current state.
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
async function checkBotChanges(
  tx: Tx,
  site: Site,
  { realm, actor, bot, named }: OpenBot,
  { fullName, role, ownerId, shortName, webhookSecret }: BotChanges,
): Promise<WantedOfBot> {
  const name = fullName === undefined ? undefined : await checkName(tx, realm, bot, fullName);
  const newRole = role === bot.role ? undefined : role;
  if (newRole !== undefined) {
    if (!isOrganizationAdministrator(actor))
      throw errors.unauthorizedPrincipal("Only administrators can give a bot another role");
    await checkNewRole(tx, actor, bot, newRole);
  }
  const owner = ownerId === undefined || ownerId === bot.botOwnerId ? undefined : checkOwner(named);
  if (owner && !isOrganizationAdministrator(actor))
    throw errors.unauthorizedPrincipal(
      "Only administrators can give a bot to another person: ask one of them",
    );
  const address =
    shortName === undefined ? undefined : await checkAddress(tx, site, realm, bot, shortName);
  const secret = checkWebhookSecret(bot.botType, webhookSecret);
  return { fullName: name, role: newRole, owner, address, webhookSecret: secret };
}

async function checkName(
  tx: Tx,
  realm: Realm,
  bot: Account,
  text: string,
): Promise<string | undefined> {
  if (text.trim() === bot.fullName) return undefined;
  const name = checkFullName(text);
  if (name === bot.fullName) return undefined;
  await checkNameIsFree(tx, realm, name, bot.id);
  await checkBotName(tx, realm, name, bot.id);
  return name;
}

/**
 * Checks that the new owner is an active person and not a guest.
 * @throws ApiError `BAD_REQUEST` if not
 */
function checkOwner(owner: Account | undefined): Account {
  if (!owner) throw errors.badRequest("bot_owner_id names no user");
  if (!owner.isActive) throw errors.badRequest("bot_owner_id names a deactivated user");
  if (owner.isBot) throw errors.badRequest("bot_owner_id names a bot: a bot cannot own bots");
  if (isGuest(owner))
    throw errors.badRequest("bot_owner_id names a guest: a guest cannot own bots");
  return owner;
}

async function checkAddress(
  tx: Tx,
  site: Site,
  realm: Realm,
  bot: Account,
  shortName: string,
): Promise<string | undefined> {
  const address = botAddress(site, realm, shortName);
  if (address === bot.deliveryEmail) return undefined;
  await checkAddressIsFree(tx, realm, address, bot.id);
  return address;
}

/**
 * Gives the bot to another person. The group graph, the bot and its new owner must be locked.
 * @param bot in its current state, with its old owner
 * @returns the events: the new owner for all users; for the old and the new owner, the bots that they gain or lose
 */
async function changeBotOwner(tx: Tx, bot: Account, owner: Account): Promise<NewEvent[]> {
  const prisma = await tx.prisma();
  const activeOwners = await prisma.user.findMany({
    where: { id: { in: bot.botOwnerId === null ? [] : [bot.botOwnerId] }, isActive: true },
    select: { id: true, role: true },
  });
  const viewers = [...activeOwners, owner];
  const before = await loadAdministeredBots(tx, bot.realmId, viewers);
  await prisma.user.update({
    where: { id: bot.id },
    data: { botOwnerId: owner.id },
    select: { id: true },
  });
  const after = await loadAdministeredBots(tx, bot.realmId, viewers);
  return [
    personUpdated(bot.id, { bot_owner_id: owner.id }),
    ...botsSeenEvents(before, after),
    ...(await botWithNewOwner(tx, bot)),
  ];
}
