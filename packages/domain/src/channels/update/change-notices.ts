import { type Account, loadNamedGroups } from "@carillon/model";
import { channelPermissions, systemGroups } from "@carillon/contract";
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

import {
  descriptionOf,
  type LoggedValue,
  nameOf,
  privacyOf,
  retentionOf,
  topicsOf,
} from "./notice-words.ts";
import type { Privacy } from "./privacy.ts";

/** A property or permission of a channel that has got another value, as the audit log tells it. */
export interface LoggedChange {
  /** As on the wire. */
  readonly name: string;
  readonly before: LoggedValue;
  readonly value: LoggedValue;
}

const privacy = {
  inviteOnly: "invite_only",
  isWebPublic: "is_web_public",
  historyPublicToSubscribers: "history_public_to_subscribers",
} as const satisfies Record<keyof Privacy, string>;

const posting = channelPermissions.canSendMessageGroup.name;

/** What the notification bot tells of when it changes (channels.md §9). */
export const noticed: ReadonlySet<string> = new Set([
  ...Object.values(privacy),
  "message_retention_days",
  "topics_policy",
  posting,
  "description",
  "name",
]);

/**
 * What the notification bot says of a change in the channel: one notice for each that is told (channels.md §9).
 * @param now who sees the channel and its history since
 */
export async function changeNotices(
  tx: Tx,
  actor: Account,
  changes: readonly LoggedChange[],
  now: Privacy,
): Promise<Notice[]> {
  const who = silentUser(actor);
  const of = (name: string) => changes.find((change) => change.name === name);
  /** Of the old and the new of what is said in `words`. */
  const say = (
    name: string,
    words: (value: LoggedValue) => NoticePart,
    blocks: (from: NoticePart, to: NoticePart) => readonly NoticePart[],
  ) => {
    const change = of(name);
    return change ? [notice(...blocks(words(change.before), words(change.value)))] : [];
  };
  const was = (key: keyof Privacy) => (of(privacy[key])?.before ?? now[key]) === true;
  const before: Privacy = {
    inviteOnly: was("inviteOnly"),
    isWebPublic: was("isWebPublic"),
    historyPublicToSubscribers: was("historyPublicToSubscribers"),
  };
  const ofPrivacy = Object.values(privacy).some(of)
    ? [
        notice(
          paragraph`${who} changed the privacy of this channel from ${privacyOf(before)} to ${privacyOf(now)}.`,
        ),
      ]
    : [];
  const permission = of(posting);
  return [
    ...ofPrivacy,
    ...say("message_retention_days", retentionOf, (from, to) => [
      paragraph`${who} changed how long messages of this channel are kept from ${from} to ${to}.`,
    ]),
    ...say("topics_policy", topicsOf, (from, to) => [
      paragraph`${who} changed the topics of this channel from ${from} to ${to}.`,
    ]),
    ...(permission ? [await postingNotice(tx, actor.realmId, who, permission)] : []),
    ...say("description", descriptionOf, (from, to) => [
      paragraph`${who} changed the description of this channel.`,
      paragraph`Old description: ${from}`,
      paragraph`New description: ${to}`,
    ]),
    ...say("name", nameOf, (from, to) => [
      paragraph`${who} renamed this channel from ${from} to ${to}.`,
    ]),
  ];
}

async function postingNotice(
  tx: Tx,
  realmId: number,
  who: NoticePart,
  { before, value }: LoggedChange,
): Promise<Notice> {
  const ids = [before, value].filter((one) => typeof one === "number");
  const groups = await loadNamedGroups(tx, realmId, ids);
  const called = (one: LoggedValue): NoticePart => {
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
