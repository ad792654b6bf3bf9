import {
  type Account,
  loadMessageAudience,
  lockMessageAndReceivers,
  maxMessageLength,
} from "@carillon/model";
import {
  bounds,
  errors,
  isCheckedWidget,
  submessageAdded,
  widgetDataRefusal,
} from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { isLongerThan } from "@carillon/kit";

/** Maximum code points of `msg_type`. */
const maxTypeLength = 100;

export interface NewSubmessage {
  readonly messageId: number;
  readonly type: string;
  readonly content: string;
}

/**
 * Attaches data of an integration, such as a vote, to a message (messages.md §6.6). The first submessage must come from
 * the message's sender; later ones may come from any account that can read the message.
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED`
 */
export async function addSubmessage(
  tx: Tx,
  account: Account,
  { messageId, type, content }: NewSubmessage,
): Promise<void> {
  const data = checkTexts(type, content);
  const { actor, message } = await lockMessageAndReceivers(tx, account, messageId);
  const earlier = await tx.first(attached, [messageId, actor.id]);
  if (!earlier) throw new Error(`submessages of message ${messageId} were not counted`);
  if (earlier.count === 0 && message.senderId !== actor.id)
    throw errors.badRequest("Only the sender of a message may attach its first submessage");
  const widget = widgetType(earlier.widget);
  const refusal =
    isCheckedWidget(widget) && widgetDataRefusal(widget, data, message.senderId === actor.id);
  if (refusal) throw refusal;
  if (earlier.own >= bounds.submessagesOfAccount)
    throw errors.badRequest(
      `You have ${bounds.submessagesOfAccount} submessages on this message, which is the limit for one account`,
    );
  if (
    earlier.length + content.length > bounds.submessageCharacters ||
    earlier.count >= bounds.submessages
  )
    throw errors.badRequest(
      `A message has at most ${bounds.submessages} submessages with ${bounds.submessageCharacters} characters in all`,
    );
  const stored = await tx.first(store, [messageId, actor.id, type, content]);
  if (!stored) throw new Error(`submessage of message ${messageId} was not inserted`);
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

/**
 * Checks the lengths and parses the content as JSON.
 * @returns the parsed content
 * @throws ApiError `BAD_REQUEST`
 */
function checkTexts(type: string, content: string): unknown {
  if (isLongerThan(type, maxTypeLength))
    throw errors.badRequest(`msg_type has more than ${maxTypeLength} characters`);
  if (isLongerThan(content, maxMessageLength))
    throw errors.badRequest(`content has more than ${maxMessageLength} characters`);
  try {
    return JSON.parse(content);
  } catch {
    throw errors.badRequest("content must be JSON");
  }
}

/**
 * Returns the widget type in the message's first submessage of type `widget`; undefined if the message is not a widget.
 */
function widgetType(first: string | null): unknown {
  if (first === null) return undefined;
  const widget: unknown = JSON.parse(first);
  return widget !== null && typeof widget === "object" && "widget_type" in widget
    ? widget.widget_type
    : undefined;
}

const attached = statement({
  name: "submessages-there",
  // `own`: Submessages of the account.
  // `widget`: Content of the message's first widget submessage, as JSON.
  text: `SELECT count(*)::int AS count, count(*) FILTER (WHERE sender_id = $2)::int AS own,
      coalesce(sum(length(content)), 0)::int AS length,
      (SELECT first.content FROM submessages first WHERE first.message_id = $1 AND first.msg_type = 'widget'
        ORDER BY first.id LIMIT 1) AS widget
    FROM submessages WHERE message_id = $1`,
});

const store = statement({
  name: "submessage-store",
  text: `INSERT INTO submessages (message_id, sender_id, msg_type, content) VALUES ($1, $2, $3, $4) RETURNING id`,
});
