import { emptyLookups } from "./lookups.ts";
import { parseMessage } from "./parse-message.ts";
import { renderMessage } from "./render-message.ts";

/** HTML of a description of a channel, folder or group, or of a profile field; `""` for an empty one. */
export function renderDescription(text: string): string {
  return text === "" ? "" : renderMessage(parseMessage(text), emptyLookups).html;
}
