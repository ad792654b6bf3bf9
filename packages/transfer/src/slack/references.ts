import type { Inline } from "../markup/document.ts";
import { plain, type Style } from "../markup/document.ts";
import { emojiOfCode, slackEmoji } from "./emoji.ts";

/** An account as mentions name it. */
export interface MentionedAccount {
  /** In the export that is written. */
  readonly id: number;
  readonly fullName: string;
}

/** Looks up what texts of Slack refer to by id. */
export interface SlackNames {
  account(userId: string): MentionedAccount | undefined;
  /** Returns a channel's name in the export that is written. */
  channel(channelId: string): string | undefined;
}

/** Mentions an account without notifying it. @param label its name, as the text has it */
export function mentionUser(names: SlackNames, userId: string, label: string | undefined): Inline {
  const account = names.account(userId);
  if (!account) return { kind: "text", text: `@${label || userId}`, style: plain };
  return {
    kind: "markup",
    source: `@_**${account.fullName}|${account.id}**`,
    text: `@${account.fullName}`,
    style: plain,
  };
}

/** Links a channel; one that is not in the export is named. */
export function linkChannel(
  names: SlackNames,
  channelId: string,
  label: string | undefined,
): Inline {
  const name = names.channel(channelId);
  if (name === undefined || /[*>\n]/.test(name))
    return { kind: "text", text: `#${name ?? (label || channelId)}`, style: plain };
  return { kind: "markup", source: `#**${name}**`, text: `#${name}`, style: plain };
}

/** Names of Slack's mentions of everybody → the silent mention; `here` has none. */
const wildcards: ReadonlyMap<string, string> = new Map([
  ["channel", "channel"],
  ["everyone", "everyone"],
  ["group", "channel"],
]);

/** Shows a mention of everybody without notifying anybody. */
export function mentionEverybody(range: string): Inline {
  const silent = wildcards.get(range);
  return silent === undefined
    ? { kind: "text", text: `@${range}`, style: { bold: true } }
    : { kind: "markup", source: `@_**${silent}**`, text: `@${range}`, style: plain };
}

/** Shows a time in the reader's zone. @param label what it was shown as */
export function showTime(seconds: number, label: string): Inline {
  const date = new Date(seconds * 1000);
  const year = date.getUTCFullYear();
  if (Number.isNaN(year) || year < 0 || year > 9999)
    return { kind: "text", text: label, style: plain };
  const iso = `${date.toISOString().slice(0, 19)}Z`;
  return { kind: "markup", source: `<time:${iso}>`, text: label || iso, style: plain };
}

/** Shows an emoji; a custom or unknown one stays as it is written. @param code of Unicode, if known */
export function showEmoji(name: string, code: string | undefined, style: Style = plain): Inline {
  const emoji = (code === undefined ? undefined : emojiOfCode(code)) ?? slackEmoji(name);
  if (!emoji) return { kind: "text", text: `:${name}:`, style };
  return { kind: "markup", source: `:${emoji.name}:`, text: `:${emoji.name}:`, style: plain };
}
