import {
  type Account,
  type Site,
  botAddedEvent,
  checkBotName,
  checkCreationBound,
  checkFullName,
  checkNameIsFree,
  creationKinds,
  gravatarUrl,
  holdAccount,
  loadRealm,
  lockGroupGraph,
  mayCreateBot,
  pictureOf,
} from "@carillon/model";
import { errors, type BotDefaults, type CreatedBot } from "@carillon/contract";
import { sqlState, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { insertUser } from "../users/insert-user.ts";
import { addressTaken, checkAddressIsFree } from "../users/new-address.ts";
import { botAddress } from "./bot-address.ts";
import { botAdministrators } from "./bot-administrators.ts";
import { botChannel } from "./bot-channel.ts";

/** A bot as somebody asks for one. */
export interface NewBot {
  readonly fullName: string;
  readonly shortName: string;
  readonly botType: number;
  /** Names of channels. */
  readonly sendingChannel: string | undefined;
  readonly eventsChannel: string | undefined;
  readonly allPublicChannels: boolean;
}

/**
 * Makes a bot of a person's (users.md §5): a member, subscribed to nothing. Its owner stays active until the
 * transaction ends.
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
  const [, owner, realm] = await Promise.all([
    lockGroupGraph(tx, actor.realmId),
    holdAccount(tx, actor.realmId, actor.id),
    loadRealm(tx, actor.realmId),
  ]);
  if (!owner?.isActive) throw errors.unauthorized();
  const botType = checkType(wanted.botType);
  if (!(await mayCreateBot(tx, realm, owner, botType)))
    throw errors.badRequest("You may not create such bots");
  const fullName = checkFullName(wanted.fullName);
  const email = botAddress(site, realm, wanted.shortName);
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
    },
    select: { id: true },
  });
  const defaults: BotDefaults = {
    default_sending_stream: sending?.name ?? null,
    default_events_register_stream: registered?.name ?? null,
    default_all_public_streams: wanted.allPublicChannels,
  };
  emit(tx, realm.id, [
    ...inserted.events,
    botAddedEvent({ user_id: account.id, ...defaults }, administrators),
  ]);
  return {
    user_id: account.id,
    api_key: apiKey,
    avatar_url: gravatarUrl(pictureOf(account)),
    ...defaults,
  };
}

function checkType(type: number): 1 | 2 {
  if (type === 1 || type === 2) return type;
  if (type === 3 || type === 4)
    throw errors.badRequest("This server runs no outgoing webhooks and no embedded bots");
  throw errors.badRequest("bot_type must be 1 (generic) or 2 (incoming webhook)");
}
