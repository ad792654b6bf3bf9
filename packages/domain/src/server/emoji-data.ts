import type { Site } from "@carillon/model";
import { createHash } from "node:crypto";

import { codeToNames } from "@carillon/markdown";

/** The names of the Unicode emoji by code, as JSON text: `{"code_to_names":{"1f642":["smile",…],…}}` (events.md §1.3). */
export const emojiData = JSON.stringify({ code_to_names: Object.fromEntries(codeToNames) });

/** Another text has another version: what was fetched under one address never changes. */
export const emojiDataVersion = createHash("sha256").update(emojiData).digest("hex").slice(0, 16);

/** Where clients fetch {@link emojiData}: `server_emoji_data_url`, absolute. */
export function emojiDataUrl(site: Pick<Site, "url">): string {
  return `${site.url}/static/emoji/${emojiDataVersion}`;
}
