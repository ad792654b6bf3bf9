import type { Sql } from "@carillon/db";
import { inSlices, isLongerThan } from "@carillon/kit";
import {
  parseMessage,
  plainHtml,
  RenderLimitError,
  renderMessage,
  searchText,
} from "@carillon/markdown";
import { cutContent, loadAccounts, maxMessageLength, setting, type Site } from "@carillon/model";

import { filesOfOrganization } from "../files/file-access.ts";
import { loadRendering } from "../messages/send/mention-lookups.ts";

/** A text of an import, with its author. */
export interface ImportedText {
  readonly authorId: number;
  readonly content: string;
}

/** The rendered form of a text, or why there is none. */
export type ImportedRendering =
  | {
      /** The text, which was cut if it was too long. */
      readonly content: string;
      readonly html: string;
      readonly hasLink: boolean;
      readonly hasImage: boolean;
      readonly hasAttachment: boolean;
      /** Words by which a search finds the text. */
      readonly words: string;
      /** What was done to the text because it exceeds a limit; undefined for other texts. */
      readonly change: string | undefined;
    }
  | { readonly problem: string };

/**
 * Renders imported texts. Checks no permissions of their authors. Accounts, channels and files that the texts name must be
 * committed before. Cuts a text that is too long, and renders one whose HTML would be too long without markup: another
 * server may have had other limits, and new ids may be longer than the old ones.
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
  const parsed = texts.map(({ authorId, content: given }) => {
    const author = accounts.get(authorId);
    const isCut = isLongerThan(given, maxMessageLength);
    const content = isCut ? cutContent(given, maxMessageLength) : given;
    const translateEmoticons = author !== undefined && setting(author, "translate_emoticons");
    return { authorId, content, isCut, parsed: parseMessage(content, { translateEmoticons }) };
  });
  // The claims of files, which give access to them, are imported after the messages.
  const { lookups, ...context } = await loadRendering(sql, realmId, site.url, parsed, {
    findFiles: filesOfOrganization,
  });
  return inSlices(parsed, ({ parsed: one, authorId, content, isCut }): ImportedRendering => {
    const author = accounts.get(authorId);
    if (!author) return { problem: "has no such author" };
    const cut = isCut
      ? `content has more than ${maxMessageLength} code points: its end was cut off`
      : undefined;
    try {
      const { html, hasLink, hasImage, hasAttachment } = renderMessage(
        one,
        lookups.of(one, author, context),
      );
      const words = searchText(html);
      return { content, html, hasLink, hasImage, hasAttachment, words, change: cut };
    } catch (error) {
      if (!(error instanceof RenderLimitError)) throw error;
      const html = plainHtml(content);
      const flags = { hasLink: false, hasImage: false, hasAttachment: false };
      const change = "content is too large when rendered: it is shown without markup";
      return { content, html, ...flags, words: searchText(html), change };
    }
  });
}
