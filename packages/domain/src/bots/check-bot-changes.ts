import {
  type Account,
  type Realm,
  type Site,
  checkBotName,
  checkFullName,
  checkNameIsFree,
  isOrganizationAdministrator,
} from "@carillon/model";
import { errors, isGuest } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { checkNewRole } from "../users/change-role.ts";
import { checkAddressIsFree } from "../users/new-address.ts";
import { botAddress } from "./bot-address.ts";
import type { WantedDefaults } from "./bot-defaults.ts";

/** What somebody wants changed of a bot; undefined where nothing. */
export interface BotChanges {
  readonly fullName: string | undefined;
  readonly role: number | undefined;
  readonly ownerId: number | undefined;
  readonly shortName: string | undefined;
  readonly defaults: WantedDefaults;
}

/** A bot in the hands of the transaction, who changes it, and who is to have it. */
export interface OpenBot {
  readonly realm: Realm;
  readonly actor: Account;
  readonly bot: Account;
  /** The account that `bot_owner_id` names, as it stays; nobody whom the actor does not see. */
  readonly named: Account | undefined;
}

/** What is really to change. */
export interface WantedOfBot {
  readonly fullName: string | undefined;
  readonly role: number | undefined;
  readonly owner: Account | undefined;
  readonly address: string | undefined;
}

/**
 * What of it the actor may have.
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
export async function checkBotChanges(
  tx: Tx,
  site: Site,
  { realm, actor, bot, named }: OpenBot,
  { fullName, role, ownerId, shortName }: BotChanges,
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
  return { fullName: name, role: newRole, owner, address };
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

/** @throws ApiError `BAD_REQUEST` unless it is an active person who may have bots: guests have none given to them */
function checkOwner(owner: Account | undefined): Account {
  if (!owner) throw errors.badRequest("bot_owner_id names no user");
  if (!owner.isActive) throw errors.badRequest("bot_owner_id names a deactivated user");
  if (owner.isBot) throw errors.badRequest("bot_owner_id names a bot: bots have no bots");
  if (isGuest(owner)) throw errors.badRequest("bot_owner_id names a guest: guests get no bots");
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
