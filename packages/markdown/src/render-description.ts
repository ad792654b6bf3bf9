import { emptyLookups } from "./lookups.ts";
import { parseMessage } from "./parse-message.ts";
import { renderMessage } from "./render-message.ts";

/**
 * Renders the description of a channel, folder or group, or a profile field; `""` if empty.
 * @param markupAllowance extra HTML characters for emoji, formulas and the like; default: that of a message
 */
export function renderDescription(text: string, markupAllowance?: number): string {
  return text === "" ? "" : renderMessage(parseMessage(text), emptyLookups, markupAllowance).html;
}
