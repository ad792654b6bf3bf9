import { ApiError, errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { isLongerThan } from "@carillon/kit";
import {
  type Account,
  administerOrganization,
  loadRealm,
  loadOrganizationSettings,
  type OutgoingMessage,
  type Site,
} from "@carillon/model";

import { composeNotice, directTo } from "../messages/send/notice.ts";
import { systemBot } from "../messages/send/system-bot.ts";
import { sendMessages } from "../messages/send/send.ts";
import { renderText } from "../messages/send/render-text.ts";

/**
 * Composes the welcome bot's message with a text that an administrator has written (people.md §2).
 * @param text Markdown, empty for none; null for the organization's text
 * @returns one message, or none without a text, or if its HTML would be too large
 */
export async function customWelcome(
  tx: Tx,
  site: Site,
  person: Account,
  text: string | null,
): Promise<OutgoingMessage[]> {
  const content = text ?? (await organizationText(tx, person.realmId));
  if (content.trim() === "") return [];
  const bot = await systemBot(tx, person.realmId, "welcome");
  const html = await renderText(tx, site, bot, content).catch((error: unknown) => {
    if (error instanceof ApiError) return undefined;
    throw error;
  });
  if (html === undefined) return [];
  const notice = { content, html };
  return [await composeNotice(tx, { bot, target: directTo(bot, person), notice })];
}

async function organizationText(tx: Tx, realmId: number): Promise<string> {
  return (await loadOrganizationSettings(tx, realmId)).welcome_message_custom_text;
}

/** Maximum code points of the setting. */
const maxText = 8_000;

/**
 * Sends an administrator the message that new people would get with this text (users.md §5).
 * @returns its id
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`, `BAD_REQUEST` for a blank text, or one whose HTML is too large
 */
export async function testWelcome(
  tx: Tx,
  site: Site,
  actor: Account,
  text: string,
): Promise<number> {
  if (text.trim() === "") throw errors.badRequest("welcome_message_custom_text must not be blank");
  if (isLongerThan(text, maxText))
    throw errors.badRequest(
      `welcome_message_custom_text must not have more than ${maxText} characters`,
    );
  await administerOrganization(tx, actor);
  const messages = await customWelcome(tx, site, actor, text);
  if (messages.length === 0)
    throw errors.badRequest("The HTML of welcome_message_custom_text is too large");
  const realm = await loadRealm(tx, actor.realmId);
  const { sent, events } = await sendMessages(tx, realm, messages);
  emit(tx, actor.realmId, events);
  return sent[0]!.id;
}
