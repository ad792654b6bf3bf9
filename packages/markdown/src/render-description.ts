import { emptyLookups } from "./lookups.ts";
import { parseMessage } from "./parse-message.ts";
import { renderMessage } from "./render-message.ts";

/**
 * HTML of a description of a channel, folder or group, or of a profile field; `""` for an empty one.
 * @param markupAllowance characters that emoji, formulas and the like may have beyond their source; that of a message
 * unless given
 */
export function renderDescription(text: string, markupAllowance?: number): string {
  return text === "" ? "" : renderMessage(parseMessage(text), emptyLookups, markupAllowance).html;
}
