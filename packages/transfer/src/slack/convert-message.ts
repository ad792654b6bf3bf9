import { type Block, shownText } from "../markup/document.ts";
import { parseAttachments } from "./attachments.ts";
import { parseBlocks } from "./blocks.ts";
import { parseMrkdwn } from "./mrkdwn.ts";
import type { SlackNames } from "./references.ts";
import type { SlackMessage } from "./schemas.ts";

/** Subtypes of messages that Slack wrote itself, and of those that are not shown. */
const service = new Set([
  "bot_add",
  "bot_disable",
  "bot_enable",
  "bot_remove",
  "channel_archive",
  "channel_canvas_updated",
  "channel_convert_to_private",
  "channel_convert_to_public",
  "channel_join",
  "channel_leave",
  "channel_name",
  "channel_posting_permissions",
  "channel_purpose",
  "channel_topic",
  "channel_unarchive",
  "group_archive",
  "group_join",
  "group_leave",
  "group_name",
  "group_purpose",
  "group_topic",
  "group_unarchive",
  "huddle_thread",
  "message_changed",
  "message_deleted",
  "message_replied",
  "pinned_item",
  "reminder_add",
  "reply_broadcast",
  "sh_room_created",
  "tombstone",
  "unpinned_item",
]);

/** Whether Slack wrote the message itself: somebody joined, a topic was changed. */
export function isServiceMessage(message: SlackMessage): boolean {
  return message.hidden === true || (message.subtype !== undefined && service.has(message.subtype));
}

/** Returns what a message shows, without its files. */
export function parseMessage(message: SlackMessage, names: SlackNames): Block[] {
  const attachments = parseAttachments(message.attachments ?? [], names);
  const blocks = parseBlocks(message.blocks ?? [], names);
  const ofText = (): Block[] => parseMrkdwn(message.text ?? "", names);
  // The text of a message with blocks is for notifications.
  const own = shownText(blocks) === "" ? ofText() : blocks;
  return [...own, ...attachments];
}

/** Backticks of a fence that is closed at the end of a part and opened again in the next. */
const longestFence = 100;

/** UTF-16 units of a part that are left for fences. */
const forFences = 400;

/** Splits Markdown that is longer than a message may be, at lines where possible. No part is longer than `most`. */
export function splitContent(content: string, most: number): string[] {
  if (content.length <= most) return [content];
  const parts: string[] = [];
  let part = "";
  /** The line that opened the block of code, with the signs of quotes before it. */
  let fence = "";
  const end = (): void => {
    if (part.trim() !== "") parts.push(fence === "" ? part.trimEnd() : `${part}${fence}`);
    part = fence === "" ? "" : `${fence}\n`;
  };
  for (const line of content.split("\n")) {
    for (const piece of piecesOf(line, most - forFences)) {
      if (part.length + piece.length + fence.length + 1 > most) end();
      part += `${piece}\n`;
    }
    if (!/^(?:> ){0,10}`{3,}$/.test(line) || line.length > longestFence) continue;
    if (fence === "") fence = line;
    else if (fence === line) fence = "";
  }
  fence = "";
  end();
  return parts;
}

function piecesOf(line: string, most: number): string[] {
  if (line.length <= most) return [line];
  const pieces: string[] = [];
  for (let at = 0; at < line.length;) {
    let end = Math.min(line.length, at + most);
    // A pair of surrogates stays together.
    if (/[\ud800-\udbff]/.test(line.charAt(end - 1)) && end < line.length) end--;
    pieces.push(line.slice(at, end));
    at = end;
  }
  return pieces;
}
