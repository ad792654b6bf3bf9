import { ApiError } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import {
  type Account,
  loadOrganizationSettings,
  type OutgoingMessage,
  type Site,
} from "@carillon/model";

import { composeNotice, directTo, systemBot } from "../messages/send/notice.ts";
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
