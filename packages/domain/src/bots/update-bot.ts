import {
  type Account,
  type AuditEntry,
  type Site,
  currentActor,
  gravatarUrl,
  loadRealm,
  loadSight,
  lockAccounts,
  lockGroupGraph,
  lockOwnerSet,
  personUpdated,
  pictureOf,
  recordAudit,
} from "@carillon/model";
import { type NewEvent, type UpdatedBot, isOwner } from "@carillon/contract";
import { statement, sqlState, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { changeAddress } from "../users/change-address.ts";
import { changeRoles, gainsPowerOfOwners } from "../users/change-role.ts";
import { addressTaken } from "../users/new-address.ts";
import { renewBotKey } from "../users/renew-bot-key.ts";
import { checkAdministersBot } from "./administer-bot.ts";
import { changeBotDefaults, type WantedDefaults } from "./bot-defaults.ts";
import { changeBotOwner } from "./change-bot-owner.ts";
import {
  type BotChanges,
  type OpenBot,
  type WantedOfBot,
  checkBotChanges,
} from "./check-bot-changes.ts";

/**
 * Changes a bot on behalf of its owner or an administrator (users.md §5), a deactivated one too.
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
  return apply(tx, site, open, wanted, changes.defaults).catch((error: unknown) => {
    throw sqlState(error) === "23505" ? addressTaken() : error;
  });
}

/** The named owner stays active until the transaction ends, and nobody gets another role meanwhile. */
async function openBot(
  tx: Tx,
  actor: Account,
  botId: number,
  { ownerId, role }: BotChanges,
): Promise<OpenBot> {
  const [, accounts, now, realm] = await Promise.all([
    lockGroupGraph(tx, actor.realmId),
    lockAccounts(tx, actor.realmId, ownerId === undefined ? [botId] : [botId, ownerId]),
    currentActor(tx, actor),
    loadRealm(tx, actor.realmId),
  ]);
  const bot = accounts.get(botId);
  checkAdministersBot(now, bot);
  if (role !== undefined && isOwner(bot)) await lockOwnerSet(tx, bot.realmId);
  const sight = await loadSight(tx, now);
  const named = ownerId === undefined ? undefined : accounts.get(ownerId);
  return { realm, actor: now, bot, named: named && sight.sees(named) ? named : undefined };
}

const storeName = statement({
  name: "bot-name-store",
  text: "UPDATE users SET full_name = $2 WHERE id = $1",
  row: {},
});

async function apply(
  tx: Tx,
  site: Site,
  { realm, actor, bot }: OpenBot,
  { fullName, role, owner, address }: WantedOfBot,
  wantedDefaults: WantedDefaults,
): Promise<UpdatedBot> {
  const events: NewEvent[] = [];
  const audit: AuditEntry[] = [];
  const note = (type: string, before: unknown, now: unknown) =>
    audit.push({ type, userId: bot.id, data: { old: before, new: now } });
  if (fullName !== undefined) {
    await tx.rows(storeName, [bot.id, fullName]);
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
  const defaults = await changeBotDefaults(tx, actor, now, wantedDefaults);
  events.push(...defaults.events);
  audit.push(...defaults.audit);
  recordAudit(tx, bot.realmId, actor.id, audit);
  emit(tx, bot.realmId, events);
  return {
    full_name: now.fullName,
    avatar_url: gravatarUrl(pictureOf(now)),
    ...defaults.now,
    ...(await ownerAddress(tx, now)),
    service_interface: null,
    service_payload_url: null,
    config_data: null,
  };
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
