import {
  type Account,
  loadMessageAudience,
  lockToldMessage,
  maxMessageLength,
} from "@carillon/model";
import { bounds, errors, submessageAdded } from "@carillon/contract";
import { column, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { isLongerThan } from "@carillon/kit";

/** Code points of `msg_type`. */
const maxTypeLength = 100;

export interface NewSubmessage {
  readonly messageId: number;
  readonly type: string;
  readonly content: string;
}

/**
 * Attaches data of an integration, such as a vote, to a message (messages.md §6.6): who wrote the message begins, and
 * every account that sees it may go on.
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED`
 */
export async function addSubmessage(
  tx: Tx,
  account: Account,
  { messageId, type, content }: NewSubmessage,
): Promise<void> {
  checkTexts(type, content);
  const { actor, message } = await lockToldMessage(tx, account, messageId);
  const there = await tx.first(attached, [messageId]);
  if (!there) throw new Error("a statement without a row");
  if (there.count === 0 && message.senderId !== actor.id)
    throw errors.badRequest("The first submessage of a message is for who wrote the message");
  if (
    there.length + content.length > bounds.submessageCharacters ||
    there.count >= bounds.submessages
  )
    throw errors.badRequest(
      `A message has at most ${bounds.submessages} submessages with ${bounds.submessageCharacters} characters in all`,
    );
  const stored = await tx.first(store, [messageId, actor.id, type, content]);
  if (!stored) throw new Error("a statement without a row");
  const audience = await loadMessageAudience(tx, message);
  const fields = {
    msg_type: type,
    message_id: messageId,
    submessage_id: stored.id,
    sender_id: actor.id,
    content,
  };
  emit(tx, actor.realmId, [submessageAdded(fields, { audience })]);
}

/** @throws ApiError `BAD_REQUEST` */
function checkTexts(type: string, content: string): void {
  if (isLongerThan(type, maxTypeLength))
    throw errors.badRequest(`msg_type has more than ${maxTypeLength} characters`);
  if (isLongerThan(content, maxMessageLength))
    throw errors.badRequest(`content has more than ${maxMessageLength} characters`);
  try {
    JSON.parse(content);
  } catch {
    throw errors.badRequest("content must be JSON");
  }
}

const attached = statement({
  name: "submessages-there",
  text: `SELECT count(*)::int AS count, coalesce(sum(length(content)), 0)::int AS length
    FROM submessages WHERE message_id = $1`,
  row: { count: column.int, length: column.int },
});

const store = statement({
  name: "submessage-store",
  text: `INSERT INTO submessages (message_id, sender_id, msg_type, content) VALUES ($1, $2, $3, $4) RETURNING id`,
  row: { id: column.bigint },
});
