import { personalSettings } from "@carillon/contract";
import { type Sql, statement } from "@carillon/db";
import { type MissedMailIntent } from "@carillon/jobs";
import type { Letter } from "@carillon/mail";
import { realmUrl, type Site, switchSql, unknownName } from "@carillon/model";

import { loadPushedMessages, type PushedMessage } from "../notifications/pushed-messages.ts";
import { loadMissed } from "./missed-facts.ts";
import { type MissedConversation, missedText } from "./missed-text.ts";
import { unsubscribeUrl } from "./unsubscribe-token.ts";

/** Maximum messages that a mail shows: the newest ones. */
const maxShown = 20;

/** Maximum code points shown of each message. */
const shownOfContent = 500;

const recipient = statement({
  name: "missed-mail-recipient",
  text: `SELECT r.name, r.subdomain, r.empty_topic_display_name AS "emptyTopicDisplayName",
      u.delivery_email AS address, u.full_name AS "fullName", u.timezone,
      r.message_content_allowed_in_email_notifications AND ${switchSql("message_content_in_email_notifications")} AS "showsContent",
      CASE coalesce((u.settings->>'realm_name_in_email_notifications_policy')::int,
          ${personalSettings.realm_name_in_email_notifications_policy.initial})
        WHEN 2 THEN true WHEN 3 THEN false ELSE EXISTS (
          SELECT FROM users other WHERE lower(other.delivery_email) = lower(u.delivery_email)
            AND other.realm_id <> u.realm_id AND other.is_active AND NOT other.is_bot) END AS "namesRealm"
    FROM users u JOIN realms r ON r.id = u.realm_id
    WHERE u.realm_id = $1 AND u.id = $2 AND u.is_active AND NOT r.deactivated`,
});

/**
 * Makes the mail about messages that an account has missed (settings-and-profile-fields.md §1.4).
 * @returns undefined if it has read them meanwhile, cannot read them any more, or does not want the mail any more
 */
export async function missedMail(
  sql: Sql,
  site: Site,
  realmId: number,
  { userId, messageIds, more }: MissedMailIntent,
): Promise<Letter | undefined> {
  const [person] = await sql.rows(recipient, [realmId, userId]);
  if (!person) return undefined;
  const missed = await loadMissed(sql, realmId, userId, messageIds);
  if (missed.length === 0) return undefined;
  const url = realmUrl(site, person);
  const unsubscribe = unsubscribeUrl(site, url, { realmId, id: userId });
  const conversations = person.showsContent
    ? await loadConversations(sql, realmId, userId, missed.slice(-maxShown))
    : [];
  // The messages were read, or became unreadable, while they were loaded.
  if (person.showsContent && conversations.length === 0) return undefined;
  const shown = conversations.reduce((sum, { messages }) => sum + messages.length, 0);
  return {
    to: person.address,
    senderName: person.name,
    unsubscribeUrl: unsubscribe,
    ...missedText({
      person,
      url,
      unsubscribeUrl: unsubscribe,
      conversations,
      count: missed.length + more,
      // `more` counts older messages that are not checked again, so the sum is only an upper bound.
      isExact: more === 0,
      left: person.showsContent ? missed.length - shown + more : 0,
    }),
  };
}

const names = statement({
  name: "missed-mail-names",
  text: `SELECT u.id, u.full_name AS name FROM users u
    WHERE u.realm_id = $1 AND u.id = ANY(ARRAY(SELECT unnest($2::int[])))`,
});

/** Maximum participants that a mail names for each conversation. */
const maxNames = 5;

/**
 * Loads messages by conversation, in the order of the first message of each. Their contents are read before the second
 * check whether the account can read them: a mail never contains what was written after the account lost
 * access.
 */
async function loadConversations(
  sql: Sql,
  realmId: number,
  userId: number,
  missed: ReadonlyArray<{ readonly id: number }>,
): Promise<MissedConversation[]> {
  const ids = missed.map(({ id }) => id);
  const contents = await loadPushedMessages(sql, realmId, ids, shownOfContent);
  const readable = await loadMissed(sql, realmId, userId, ids);
  const messages = readable.flatMap(({ id, unseenSender }) => {
    const message = contents.get(id);
    return message ? [{ message, unseenSender }] : [];
  });
  const others = new Map(
    messages.flatMap(({ message: { place } }) =>
      place.kind === "direct"
        ? [[place.memberIds.join(","), place.memberIds.filter((id) => id !== userId)] as const]
        : [],
    ),
  );
  const shownIds = [...others.values()].flatMap((members) => members.slice(0, maxNames));
  const rows = shownIds.length > 0 ? await sql.rows(names, [realmId, [...new Set(shownIds)]]) : [];
  const nameOf = new Map(rows.map(({ id, name }) => [id, name]));
  const conversations = new Map<string, MissedConversation>();
  for (const { message, unseenSender } of messages) {
    const { place } = message;
    const key = keyOf(place);
    const members = place.kind === "direct" ? (others.get(place.memberIds.join(",")) ?? []) : [];
    const conversation = conversations.get(key) ?? {
      place,
      names: members.slice(0, maxNames).map((id) => nameOf.get(id) ?? unknownName),
      furtherMembers: Math.max(0, members.length - maxNames),
      messages: [],
    };
    const senderName = unseenSender ? unknownName : message.sender.fullName;
    conversations.set(key, {
      ...conversation,
      messages: [...conversation.messages, { ...message, senderName }],
    });
  }
  return [...conversations.values()];
}

function keyOf(place: PushedMessage["place"]): string {
  return place.kind === "direct" ? place.memberIds.join(",") : `${place.id}:${place.topic}`;
}
