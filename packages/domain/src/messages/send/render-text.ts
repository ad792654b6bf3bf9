import { type Account, type Site, maxMessageLength, setting } from "@carillon/model";
import { errors } from "@carillon/contract";
import type { Sql } from "@carillon/db";
import { isLongerThan } from "@carillon/kit";
import { parseMessage, RenderLimitError, renderMessage } from "@carillon/markdown";

import { loadRendering } from "./mention-lookups.ts";

/**
 * Renders a text with the account as its author (scheduled-messages.md §7); checks no permission.
 * @throws ApiError `BAD_REQUEST` when the text has more than {@link maxMessageLength} code points, or its HTML would
 *   be too large
 */
export async function renderText(
  sql: Sql,
  site: Site,
  author: Account,
  content: string,
): Promise<string> {
  if (isLongerThan(content, maxMessageLength))
    throw errors.badRequest(`content must not have more than ${maxMessageLength} code points`);
  const parsed = parseMessage(content, {
    translateEmoticons: setting(author, "translate_emoticons"),
  });
  const { lookups, ...context } = await loadRendering(sql, author.realmId, site.url, [
    { parsed, authorId: author.id },
  ]);
  try {
    return renderMessage(parsed, lookups.of(parsed, author, context)).html;
  } catch (error) {
    if (error instanceof RenderLimitError)
      throw errors.badRequest("content is too large when rendered");
    throw error;
  }
}
