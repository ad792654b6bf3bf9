import { type Sql, statement, inOneStatement } from "@carillon/db";
import { plainText } from "@carillon/markdown";
import { type Picture, pictureOf } from "@carillon/model";

/** Code points of a message's content in a notification (push.md §9). */
const shownOfContent = 200;

/** Code points of HTML to read for that content: the HTML of some texts is a hundred times as long. */
const readOfHtml = 20_000;

/** The properties of a message that notifications contain. */
export interface PushedMessage {
  readonly id: number;
  /** UNIX seconds */
  readonly time: number;
  readonly sender: { readonly id: number; readonly fullName: string; readonly picture: Picture };
  /** Plain text of the content. */
  readonly content: string;
  readonly place:
    | { readonly kind: "direct"; readonly memberIds: readonly number[] }
    | {
        readonly kind: "channel";
        readonly id: number;
        readonly name: string;
        readonly topic: string;
      };
}

const messages = statement({
  name: "messages-to-push",
  text: `SELECT m.id, floor(extract(epoch FROM m.sent_at))::bigint AS time, m.sender_id AS "senderId", m.topic,
      left(m.rendered_content, ${readOfHtml}) AS html, c.id AS "channelId", c.name AS "channelName",
      r.member_ids AS "memberIds"
    FROM messages m JOIN recipients r ON r.id = m.recipient_id LEFT JOIN channels c ON c.id = r.channel_id
    WHERE m.realm_id = $1 AND m.id = ANY(ARRAY(SELECT unnest($2::bigint[])))`,
});

const senders = statement({
  name: "senders-to-push",
  text: `SELECT u.id, u.realm_id AS "realmId", u.full_name AS "fullName", u.delivery_email AS "deliveryEmail", u.avatar_source AS "avatarSource",
      u.avatar_version AS "avatarVersion", u.avatar_file AS "avatarFile", u.email_address_visibility AS "emailAddressVisibility", u.is_bot AS "isBot"
    FROM users u WHERE u.realm_id = $1 AND u.id IN (
      SELECT m.sender_id FROM messages m WHERE m.id = ANY(ARRAY(SELECT unnest($2::bigint[]))))`,
});

/**
 * Loads the messages that still exist, by id. Contents and senders come from one snapshot.
 * @param shown code points of a content
 */
export async function loadPushedMessages(
  sql: Sql,
  realmId: number,
  ids: readonly number[],
  shown = shownOfContent,
): Promise<ReadonlyMap<number, PushedMessage>> {
  const values = [realmId, ids];
  const [rows, people] = await inOneStatement(sql, (one) =>
    Promise.all([one.rows(messages, values), one.rows(senders, values)]),
  );
  const byId = new Map(people.map((person) => [person.id, person]));
  const pushed = new Map<number, PushedMessage>();
  for (const { id, time, senderId, html, topic, channelId, channelName, memberIds } of rows) {
    const person = byId.get(senderId);
    if (!person) continue;
    const sender = { id: senderId, fullName: person.fullName, picture: pictureOf(person) };
    const place =
      channelId === null
        ? ({ kind: "direct", memberIds: memberIds ?? [] } as const)
        : ({ kind: "channel", id: channelId, name: channelName ?? "", topic } as const);
    pushed.set(id, {
      id,
      time,
      sender,
      place,
      content: plainText(withoutCutTag(html), shown),
    });
  }
  return pushed;
}

/** Drops a tag at the end that the limit may have cut. */
function withoutCutTag(html: string): string {
  return html.length < readOfHtml ? html : html.slice(0, html.lastIndexOf("<"));
}

const groupNames = statement({
  name: "pushed-group-names",
  text: `SELECT id, CASE WHEN is_system_group THEN description ELSE name END AS name
    FROM named_user_group WHERE realm_id = $1 AND id = ANY($2::int[])`,
});

/** Loads the display names of the groups, by id. */
export async function loadGroupNames(
  sql: Sql,
  realmId: number,
  groupIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (groupIds.length === 0) return new Map();
  const rows = await sql.rows(groupNames, [realmId, groupIds]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
