import type { Sql } from "@carillon/db";
import { inSlices, isLongerThan } from "@carillon/kit";
import { parseMessage, RenderLimitError, renderMessage, searchText } from "@carillon/markdown";
import { loadAccounts, maxMessageLength, setting, type Site } from "@carillon/model";

import { loadRendering } from "../messages/send/mention-lookups.ts";

/** A text of an import, with its author. */
export interface ImportedText {
  readonly authorId: number;
  readonly content: string;
}

/** The rendered form of a text, or why there is none. */
export type ImportedRendering =
  | {
      readonly html: string;
      readonly hasLink: boolean;
      readonly hasImage: boolean;
      readonly hasAttachment: boolean;
      /** Words by which a search finds the text. */
      readonly words: string;
    }
  | { readonly problem: string };

/**
 * Renders imported texts. Checks no permissions of their authors. Accounts, channels and files that the texts name must be
 * committed before.
 */
export async function renderImported(
  sql: Sql,
  site: Site,
  realmId: number,
  texts: readonly ImportedText[],
): Promise<ImportedRendering[]> {
  if (texts.length === 0) return [];
  const authorIds = [...new Set(texts.map(({ authorId }) => authorId))];
  const accounts = await loadAccounts(sql, realmId, authorIds);
  const parsed = texts.map(({ authorId, content }) => {
    const author = accounts.get(authorId);
    const isTooLong = isLongerThan(content, maxMessageLength);
    const translateEmoticons = author !== undefined && setting(author, "translate_emoticons");
    return {
      authorId,
      isTooLong,
      parsed: parseMessage(isTooLong ? "" : content, { translateEmoticons }),
    };
  });
  const { lookups, ...context } = await loadRendering(sql, realmId, site.url, parsed);
  return inSlices(parsed, ({ parsed: one, authorId, isTooLong }): ImportedRendering => {
    if (isTooLong)
      return { problem: `content must not have more than ${maxMessageLength} code points` };
    const author = accounts.get(authorId);
    if (!author) return { problem: "has no such author" };
    try {
      const { html, hasLink, hasImage, hasAttachment } = renderMessage(
        one,
        lookups.of(one, author, context),
      );
      return { html, hasLink, hasImage, hasAttachment, words: searchText(html) };
    } catch (error) {
      if (error instanceof RenderLimitError)
        return { problem: "content is too large when rendered" };
      throw error;
    }
  });
}
