import {
  channelPermissions,
  type GroupSettingValue,
  systemGroups,
  type TopicsPolicy,
} from "@carillon/contract";
import { type Database, notNull, statement, type Tx, typed } from "@carillon/db";
import { emit } from "@carillon/events";
import { type IntentRef, sendNotice } from "@carillon/jobs";
import { type Logger, uniqueId } from "@carillon/kit";
import {
  emphasised,
  notice,
  type Notice,
  type NoticePart,
  paragraph,
  quoted,
  silentGroup,
  silentUser,
  verbatim,
} from "@carillon/markdown";
import {
  type Account,
  lockAudiencesShared,
  loadAccounts,
  loadNamedGroups,
  loadRealm,
  loadAfter,
} from "@carillon/model";
import { doIntent, recordOwnIntent } from "@carillon/outbox";

import { postChannelNotices } from "../notices/post-channel-notice.ts";
import type { CheckedChanges, Privacy } from "./next-channel.ts";
import type { OpenChannel } from "./open-channel.ts";

/** Posts the notices of a committed change. A failure does not affect the change: a worker posts the notices later. */
export async function postNoticesOfChange(
  { db, log }: { readonly db: Pick<Database, "transaction">; readonly log: Logger },
  kept: IntentRef,
): Promise<void> {
  try {
    await doIntent(db, sendNotice, kept, async (tx, { realmId, payload }) => {
      if (payload.kind === "channel-changed") await sendChannelChangedNotices(tx, realmId, payload);
    });
  } catch (error) {
    log.warn(
      { err: error, intentId: kept.intentId },
      "channel change notices not posted; a worker will retry",
    );
  }
}

const logged = statement({
  name: "logged-changes",
  text: `SELECT extra_data->>'setting' AS name, extra_data->'old' AS before, extra_data->'new' AS value
    FROM audit_log WHERE realm_id = $1 AND id = ANY($2::bigint[]) ORDER BY id`,
  overrides: {
    name: notNull,
    before: typed<NonNullable<LoggedValue>>(),
    value: typed<NonNullable<LoggedValue>>(),
  },
});

/**
 * Posts the notification bot's notices of a channel's change (channels.md §9), to the channel's current subscribers.
 * Takes only the shared audience lock, like every send to the channel.
 */
export async function sendChannelChangedNotices(
  tx: Tx,
  realmId: number,
  wanted: { actorId: number; channelId: number; auditIds: readonly number[]; privacy: Privacy },
): Promise<void> {
  const { actorId, channelId, auditIds, privacy } = wanted;
  const { realm, accounts, changes } = await loadAfter(lockAudiencesShared(tx, [channelId]), {
    realm: loadRealm(tx, realmId),
    accounts: loadAccounts(tx, realmId, [actorId]),
    changes: tx.rows(logged, [realmId, auditIds]),
  });
  const actor = accounts.get(actorId);
  if (!actor) return;
  const texts = await changeNotices(tx, actor, changes, privacy);
  const notices = texts.map((notice) => ({ channelId, notice }));
  emit(tx, realmId, await postChannelNotices(tx, realm, actor, notices));
}

/**
 * Records a job to post the notification bot's notices of a change (channels.md §9).
 * @param auditIds ids of the audit log's entries of the change
 * @returns undefined if the change needs no notice
 */
export async function recordChannelChangedNotices(
  tx: Tx,
  { actor, channel, realm }: OpenChannel,
  { next, properties, settings }: CheckedChanges,
  auditIds: readonly number[],
): Promise<IntentRef | undefined> {
  const needsNotice = [...properties, ...settings].some(({ name }) => reported.has(name));
  if (!realm.sendChannelEventsMessages || !needsNotice) return undefined;
  const { inviteOnly, isWebPublic, historyPublicToSubscribers } = next;
  return recordOwnIntent(tx, realm.id, sendNotice, {
    key: `channel-changed-${uniqueId()}`,
    payload: {
      kind: "channel-changed",
      actorId: actor.id,
      channelId: channel.id,
      auditIds: [...auditIds],
      privacy: { inviteOnly, isWebPublic, historyPublicToSubscribers },
    },
  });
}

/** A changed property or permission of a channel, as read from the audit log. */
interface LoggedChange {
  /** Name in the wire format. */
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

/** Properties and permissions whose changes the notification bot reports (channels.md §9). */
const reported: ReadonlySet<string> = new Set([
  ...Object.values(privacy),
  "message_retention_days",
  "topics_policy",
  posting,
  "description",
  "name",
]);

/**
 * Returns the notification bot's notices of a change, one for each reported property (channels.md §9).
 * @param now the channel's privacy after the change
 */
async function changeNotices(
  tx: Tx,
  actor: Account,
  changes: readonly LoggedChange[],
  now: Privacy,
): Promise<Notice[]> {
  const who = silentUser(actor);
  const of = (name: string) => changes.find((change) => change.name === name);
  /** Makes a notice of the old and the new value, as `words` names them. */
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
    if (!group) return verbatim("certain people and groups");
    const { description = "" } = systemGroups.find(({ name }) => name === group.name) ?? {};
    return group.isSystemGroup ? quoted(description) : silentGroup(group);
  };
  const [from, to] = [called(before), called(value)];
  return notice(
    paragraph`${who} changed who may send messages to this channel from ${from} to ${to}.`,
  );
}

/** A value of a property or permission in the audit log. */
type LoggedValue = string | number | boolean | null | GroupSettingValue;

/** Returns the name of a value in a notice. */
type Words = (value: LoggedValue) => NoticePart;

function privacyOf({ inviteOnly, isWebPublic, historyPublicToSubscribers }: Privacy): NoticePart {
  if (isWebPublic) return verbatim("web-public");
  if (!inviteOnly) return verbatim("public");
  return verbatim(`private with ${historyPublicToSubscribers ? "shared" : "protected"} history`);
}

const retentionOf: Words = (value) => {
  if (value === null) return verbatim("what the organization says");
  const days = Number(value);
  if (days < 0) return verbatim("for ever");
  return verbatim(days === 1 ? "1 day" : `${days} days`);
};

const topicsPolicies: Readonly<Record<TopicsPolicy, string>> = {
  inherit: "what the organization says",
  allow_empty_topic: "optional",
  disable_empty_topic: "required",
  empty_topic_only: "none",
};

const topicsOf: Words = (policy) => verbatim(topicsPolicies[policy as TopicsPolicy]);

const descriptionOf: Words = (value) => (value === "" ? verbatim("none") : quoted(textOf(value)));

const nameOf: Words = (value) => emphasised(textOf(value));

function textOf(value: LoggedValue): string {
  if (typeof value !== "string") throw new TypeError("audit value is not a string");
  return value;
}
