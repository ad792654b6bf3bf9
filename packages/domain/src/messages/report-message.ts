import { errors, reportTypes } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { cutTo, isLongerThan } from "@carillon/kit";
import {
  directMessageLink,
  messageLink,
  notice,
  paragraph,
  plainWords,
  quotedBlock,
  silentUser,
  type NoticePart,
} from "@carillon/markdown";
import {
  type AccessibleMessage,
  type Account,
  loadAccounts,
  loadAfter,
  loadPostingChannels,
  loadRealm,
  lockAccount,
  lockAudiencesShared,
  maxTopicLength,
  type Realm,
  recordAudit,
  requireMessage,
} from "@carillon/model";

import { loadText } from "./change/check-change.ts";
import { composeNotice } from "./send/notice.ts";
import { systemBot } from "./send/system-bot.ts";
import { sendMessages } from "./send/send.ts";

/** Maximum code points of a description. */
const maxDescriptionLength = 1_000;

/** Maximum code points of a reported message that the report quotes. */
const maxQuoted = 5_000;

/** Maximum reports of an account in an hour. */
const maxReports = 20;

export interface Report {
  readonly messageId: number;
  readonly type: string;
  readonly description: string | undefined;
}

/**
 * Reports a message (clients.md §4): the notification bot writes a message to the organization's moderation channel,
 * in a topic named after the sender of the reported message.
 * @throws ApiError `BAD_REQUEST`, `RATE_LIMIT_HIT`
 */
export async function reportMessage(
  tx: Tx,
  account: Account,
  { messageId, type, description = "" }: Report,
): Promise<void> {
  const message = await requireMessage(tx, account, messageId);
  if (isLongerThan(description, maxDescriptionLength))
    throw errors.badRequest(`description has more than ${maxDescriptionLength} characters`);
  if (type === "other" && description.trim() === "")
    throw errors.badRequest("description is required for a report of the type other");
  const realm = await loadRealm(tx, account.realmId);
  const channelId = realm.moderationRequestChannelId;
  if (channelId === null) throw noChannel();
  const { reporter, channels } = await loadAfter(
    [lockAccount(tx, account.realmId, account.id), lockAudiencesShared(tx, [channelId])],
    {
      reporter: loadAccounts(tx, account.realmId, [account.id]),
      channels: loadPostingChannels(tx, account.realmId, [channelId], []),
    },
  );
  const [channel, actor] = [channels.get(channelId), reporter.get(account.id)];
  if (!actor?.isActive || !channel || channel.isArchived) throw noChannel();
  await checkReportLimit(tx, account);
  const sender = (await loadAccounts(tx, account.realmId, [message.senderId])).get(
    message.senderId,
  );
  const text = await loadText(tx, account.realmId, messageId);
  if (!sender || !text) throw errors.badRequest("Invalid message(s)");
  recordAudit(tx, account.realmId, account.id, [
    { type: "message_reported", userId: sender.id, data: { message_id: messageId, reason: type } },
  ]);
  const reason = reportTypes.find(({ key }) => key === type)?.name ?? type;
  const { events } = await sendMessages(tx, realm, [
    await composeNotice(tx, {
      bot: await systemBot(tx, realm.id, "notification"),
      target: { kind: "channel", channel },
      topic: channel.topicsPolicy === "empty_topic_only" ? "" : topicAbout(sender),
      notice: notice(
        paragraph`${silentUser(actor)} reported ${linkTo(realm, message)} of ${silentUser(sender)}: ${plainWords(reason)}.`,
        ...(description.trim() === "" ? [] : [quotedBlock(description.trim())]),
        paragraph`The reported message:`,
        quotedBlock(cutTo(text.content, maxQuoted, "…")),
      ),
    }),
  ]);
  emit(tx, realm.id, events);
}

function noChannel() {
  return errors.badRequest(
    "The organization has no channel for reports: tell an administrator about the message instead",
  );
}

const suffix = "'s moderation requests";

function topicAbout({ fullName }: Account): string {
  return cutTo(fullName, maxTopicLength - suffix.length, "…") + suffix;
}

function linkTo(
  { emptyTopicDisplayName }: Realm,
  { id, channel, topic, memberIds }: AccessibleMessage,
): NoticePart {
  return channel
    ? messageLink(channel, topic, emptyTopicDisplayName, id)
    : directMessageLink("a direct message", memberIds ?? [], id);
}

const recent = statement({
  name: "reports-of-an-hour",
  text: `SELECT count(*)::int AS count, extract(epoch FROM min(event_time) + interval '1 hour' - now())::float8 AS wait
    FROM audit_log WHERE realm_id = $1 AND event_time > now() - interval '1 hour' AND acting_user_id = $2
      AND event_type = 'message_reported'`,
});

/**
 * Checks how many messages the account has reported in the last hour, according to the audit log. The account must be
 * locked, so that concurrent reports are counted.
 * @throws ApiError `RATE_LIMIT_HIT`
 */
async function checkReportLimit(tx: Tx, { realmId, id }: Account): Promise<void> {
  const found = await tx.first(recent, [realmId, id]);
  if (found && found.count >= maxReports) throw errors.rateLimitHit(Math.max(1, found.wait ?? 1));
}
