import { type BotDefaults, type CreatedBot, errors, type NewEvent } from "@carillon/contract";
import { sqlState, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  type AuditEntry,
  botAddedEvent,
  botUpdatedEvent,
  checkBotName,
  checkCreationBound,
  checkFullName,
  checkNameIsFree,
  creationKinds,
  findChannel,
  lockAccountShared,
  hostOf,
  isEmailAddress,
  loadRealm,
  lockGroupGraph,
  canCreateBot,
  noSuchChannel,
  ownPictureUrl,
  pictureOf,
  type Realm,
  type Site,
  loadAfter,
} from "@carillon/model";

import { insertUser } from "../users/insert-user.ts";
import { addressTaken, checkAddressIsFree } from "../users/change-address.ts";
import { checkService, insertService } from "./bot-service.ts";
import { botAdministrators } from "./bots.ts";
import {
  checkWebhookSecret,
  incomingWebhookBot,
  sealedSecret,
  shownConfig,
} from "./webhook-secret.ts";

/** The properties of a requested bot. */
interface NewBot {
  readonly fullName: string;
  readonly shortName: string;
  readonly botType: number;
  /** The secret with which programs sign webhooks; undefined or empty for none. */
  readonly webhookSecret: string | undefined;
  /** Names of channels. */
  readonly sendingChannel: string | undefined;
  readonly eventsChannel: string | undefined;
  readonly allPublicChannels: boolean;
  /** The endpoint of an outgoing webhook; other types ignore it. */
  readonly service: {
    readonly name: string | undefined;
    readonly url: string | undefined;
    readonly format: number;
  };
}

/**
 * Creates a bot for a person (users.md §5): a member without subscriptions. Its owner is locked and stays active until
 * the transaction ends.
 * @throws ApiError `BAD_REQUEST`
 */
export async function createBot(
  tx: Tx,
  site: Site,
  actor: Account,
  wanted: NewBot,
): Promise<CreatedBot> {
  return create(tx, site, actor, wanted).catch((error: unknown) => {
    throw sqlState(error) === "23505" ? addressTaken() : error;
  });
}

async function create(tx: Tx, site: Site, actor: Account, wanted: NewBot): Promise<CreatedBot> {
  const { owner, realm } = await loadAfter(lockGroupGraph(tx, actor.realmId), {
    owner: lockAccountShared(tx, actor.realmId, actor.id),
    realm: loadRealm(tx, actor.realmId),
  });
  if (!owner?.isActive) throw errors.unauthorized();
  const botType = checkType(wanted.botType);
  if (!(await canCreateBot(tx, realm, owner, botType)))
    throw errors.badRequest("You may not create such bots");
  const secret = checkWebhookSecret(botType, wanted.webhookSecret);
  const fullName = checkFullName(wanted.fullName);
  const email = botAddress(site, realm, wanted.shortName);
  const name = wanted.service.name?.trim() || wanted.shortName.trim();
  const service = botType === 3 ? checkService(site, { ...wanted.service, name }) : undefined;
  await checkAddressIsFree(tx, realm, email);
  await checkNameIsFree(tx, realm, fullName);
  await checkBotName(tx, realm, fullName);
  const sending = await botChannel(tx, owner, wanted.sendingChannel);
  const registered = await botChannel(tx, owner, wanted.eventsChannel);
  await checkCreationBound(tx, creationKinds.bots, owner, 1);
  const inserted = await insertUser(tx, site, realm, {
    email,
    fullName,
    isBot: true,
    botType,
    botOwnerId: owner.id,
    createdBy: owner.id,
  });
  const { account, apiKey } = inserted;
  const administrators = await botAdministrators(tx, account);
  const prisma = await tx.prisma();
  await prisma.user.update({
    where: { id: account.id },
    data: {
      defaultSendingChannelId: sending?.id ?? null,
      defaultEventsRegisterChannelId: registered?.id ?? null,
      defaultAllPublicChannels: wanted.allPublicChannels,
      webhookSecretSealed: sealedSecret(site, secret),
    },
    select: { id: true },
  });
  const defaults: BotDefaults = {
    default_sending_stream: sending?.name ?? null,
    default_events_register_stream: registered?.name ?? null,
    default_all_public_streams: wanted.allPublicChannels,
  };
  const services = service ? [await insertService(tx, site, account, service)] : [];
  emit(tx, realm.id, [
    ...inserted.events,
    botAddedEvent({ user_id: account.id, services, ...defaults }, administrators),
  ]);
  return {
    user_id: account.id,
    api_key: apiKey,
    avatar_url: ownPictureUrl(site.url, pictureOf(account)),
    ...defaults,
    ...(botType === incomingWebhookBot && { config_data: shownConfig(Boolean(secret)) }),
  };
}

function checkType(type: number): 1 | 2 | 3 {
  if (type === 1 || type === 2 || type === 3) return type;
  if (type === 4) throw errors.badRequest("This server does not support embedded bots");
  throw errors.badRequest(
    "bot_type must be 1 (generic), 2 (incoming webhook) or 3 (outgoing webhook)",
  );
}

/** The requested defaults of a bot: names of channels, blank for none; undefined for no change. */
export interface WantedDefaults {
  readonly sendingChannel: string | undefined;
  readonly eventsChannel: string | undefined;
  readonly allPublicChannels: boolean | undefined;
}

/** The changed defaults, their events and audit entries. */
interface ChangedDefaults {
  readonly now: BotDefaults;
  readonly events: readonly NewEvent[];
  readonly audit: readonly AuditEntry[];
}

/**
 * Changes a bot's defaults (users.md §5), and makes the events for the accounts that administer it.
 * @param bot in its current state
 * @throws ApiError `BAD_REQUEST` if the actor cannot see a channel
 */
export async function changeBotDefaults(
  tx: Tx,
  actor: Account,
  bot: Account,
  { sendingChannel, eventsChannel, allPublicChannels }: WantedDefaults,
): Promise<ChangedDefaults> {
  const sending = await botChannel(tx, actor, sendingChannel);
  const listening = await botChannel(tx, actor, eventsChannel);
  const before = await defaultsOf(tx, bot.id);
  const prisma = await tx.prisma();
  await prisma.user.update({
    where: { id: bot.id },
    data: {
      ...(sendingChannel === undefined ? {} : { defaultSendingChannelId: sending?.id ?? null }),
      ...(eventsChannel === undefined
        ? {}
        : { defaultEventsRegisterChannelId: listening?.id ?? null }),
      ...(allPublicChannels === undefined ? {} : { defaultAllPublicChannels: allPublicChannels }),
    },
    select: { id: true },
  });
  const now = await defaultsOf(tx, bot.id);
  const names = Object.keys(now) as Array<keyof BotDefaults>;
  const changed = names.filter((name) => now[name] !== before[name]);
  if (changed.length === 0) return { now, events: [], audit: [] };
  const changedFields = Object.fromEntries(changed.map((name) => [name, now[name]]));
  return {
    now,
    events: [botUpdatedEvent(bot.id, changedFields, await botAdministrators(tx, bot))],
    audit: changed.map((name) => ({
      type: `bot_${name}_changed`,
      userId: bot.id,
      data: { old: before[name], new: now[name] },
    })),
  };
}

async function defaultsOf(tx: Tx, botId: number): Promise<BotDefaults> {
  const prisma = await tx.prisma();
  const { defaultSendingChannel, defaultEventsRegisterChannel, defaultAllPublicChannels } =
    await prisma.user.findUniqueOrThrow({
      where: { id: botId },
      select: {
        defaultSendingChannel: { select: { name: true } },
        defaultEventsRegisterChannel: { select: { name: true } },
        defaultAllPublicChannels: true,
      },
    });
  return {
    default_sending_stream: defaultSendingChannel?.name ?? null,
    default_events_register_stream: defaultEventsRegisterChannel?.name ?? null,
    default_all_public_streams: defaultAllPublicChannels,
  };
}

/**
 * Returns the address of a bot with this `short_name` (users.md §5).
 * @throws ApiError `BAD_REQUEST`
 */
export function botAddress(site: Site, realm: Realm, shortName: string): string {
  const name = shortName.trim();
  const email = `${name}-bot@${hostOf(site, realm)}`;
  if (name === "" || !isEmailAddress(email))
    throw errors.badRequest("short_name must be something that an e-mail address can begin with");
  return email;
}

/**
 * Finds the channel of a bot's default by name; undefined for none.
 * @throws ApiError `BAD_REQUEST` if the person cannot see the channel
 */
async function botChannel(tx: Tx, person: Account, name: string | undefined) {
  if (name === undefined || name === "") return undefined;
  const channel = await findChannel(tx, person, name, { access: "content", archived: false });
  if (!channel) throw noSuchChannel(name);
  return channel;
}
