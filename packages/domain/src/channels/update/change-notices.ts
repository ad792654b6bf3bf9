import {
  type Account,
  type Channel,
  type ChangedGroupSetting,
  loadNamedGroups,
} from "@carillon/model";
import { channelPermissions, type GroupSettingValue, systemGroups } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import {
  notice,
  type Notice,
  type NoticePart,
  paragraph,
  quoted,
  silentGroup,
  silentUser,
  told,
} from "@carillon/markdown";

import type { CheckedChanges } from "./apply-changes.ts";
import type { NextChannel } from "./next-channel.ts";
import { descriptionOf, nameOf, privacyOf, retentionOf, topicsOf } from "./notice-words.ts";

/** What the notification bot says of a change in the channel: one notice for each that is told (channels.md §9). */
export async function changeNotices(
  tx: Tx,
  actor: Account,
  { before, next, properties, settings }: CheckedChanges,
): Promise<Notice[]> {
  const who = silentUser(actor);
  /** Of the old and the new of what is said in `words`. */
  const say = (
    names: readonly string[],
    words: (channel: Channel | NextChannel) => NoticePart,
    blocks: (from: NoticePart, to: NoticePart) => readonly NoticePart[],
  ) =>
    properties.some(({ name }) => names.includes(name))
      ? [notice(...blocks(words(before), words(next)))]
      : [];
  const posting = settings.find(({ name }) => name === channelPermissions.canSendMessageGroup.name);
  return [
    ...say(
      ["invite_only", "history_public_to_subscribers", "is_web_public"],
      privacyOf,
      (from, to) => [paragraph`${who} changed the privacy of this channel from ${from} to ${to}.`],
    ),
    ...say(["message_retention_days"], retentionOf, (from, to) => [
      paragraph`${who} changed how long messages of this channel are kept from ${from} to ${to}.`,
    ]),
    ...say(["topics_policy"], topicsOf, (from, to) => [
      paragraph`${who} changed the topics of this channel from ${from} to ${to}.`,
    ]),
    ...(posting ? [await postingNotice(tx, before.realmId, who, posting)] : []),
    ...say(["description"], descriptionOf, (from, to) => [
      paragraph`${who} changed the description of this channel.`,
      paragraph`Old description: ${from}`,
      paragraph`New description: ${to}`,
    ]),
    ...say(["name"], nameOf, (from, to) => [
      paragraph`${who} renamed this channel from ${from} to ${to}.`,
    ]),
  ];
}

async function postingNotice(
  tx: Tx,
  realmId: number,
  who: NoticePart,
  { before, value }: ChangedGroupSetting,
): Promise<Notice> {
  const ids = [before, value].filter((one) => typeof one === "number");
  const groups = await loadNamedGroups(tx, realmId, ids);
  const called = (one: GroupSettingValue): NoticePart => {
    const group = typeof one === "number" ? groups.get(one) : undefined;
    if (!group) return told("certain people and groups");
    const { description = "" } = systemGroups.find(({ name }) => name === group.name) ?? {};
    return group.isSystemGroup ? quoted(description) : silentGroup(group);
  };
  const [from, to] = [called(before), called(value)];
  return notice(
    paragraph`${who} changed who may send messages to this channel from ${from} to ${to}.`,
  );
}
