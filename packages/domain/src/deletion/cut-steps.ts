import { isPrivateSql } from "@carillon/model";
import { statement, notNull, type RowOf, type Tx } from "@carillon/db";

/** Messages in one step: about half a second of work. */
const messagesInStep = 2_000;
/** Direct conversations in one step. */
const conversationsInStep = 100;
/** Steps in one round: BullMQ records the end of each child one by one. The rest is for the next round. */
const stepsInRound = 400;
const messagesInRound = messagesInStep * stepsInRound;

/** Which messages are cut into steps. */
export interface DeletionScope {
  readonly userId: number;
  readonly maxMessageId: number;
  readonly publicChannels: boolean;
  readonly privateChannels: boolean;
  readonly direct: boolean;
}

/** SQL: whether messages to the recipient `r` are to be deleted. `c` is the recipient's channel, if it has one. */
const isWanted = (publicChannels: string, privateChannels: string, direct: string) =>
  `CASE WHEN r.channel_id IS NULL THEN ${direct} WHEN ${isPrivateSql} THEN ${privateChannels} ELSE ${publicChannels} END`;

type Piece = RowOf<typeof pieces>;

/**
 * Walks `messages_sender_id_recipient_id_id_idx`: skips from conversation to conversation, and reads those to be deleted
 * up to the limit of one round.
 */
export const pieces = statement({
  name: "message-deletion-pieces",
  text: `WITH RECURSIVE conversation (recipient_id) AS (
      (SELECT recipient_id FROM messages WHERE sender_id = $1 ORDER BY recipient_id LIMIT 1)
      UNION ALL
      SELECT (SELECT m.recipient_id FROM messages m WHERE m.sender_id = $1 AND m.recipient_id > conversation.recipient_id
        ORDER BY m.recipient_id LIMIT 1)
      FROM conversation WHERE conversation.recipient_id IS NOT NULL
    ), wanted AS MATERIALIZED (
      SELECT r.id, r.channel_id FROM conversation JOIN recipients r ON r.id = conversation.recipient_id
      LEFT JOIN channels c ON c.id = r.channel_id WHERE ${isWanted("$3::boolean", "$4::boolean", "$5::boolean")} ORDER BY r.id
    ), message AS (
      SELECT wanted.id AS recipient_id, wanted.channel_id, m.id, m.place FROM wanted CROSS JOIN LATERAL (
        SELECT id, (row_number() OVER (ORDER BY id) - 1) / ${messagesInStep} AS place FROM messages
        WHERE sender_id = $1 AND recipient_id = wanted.id AND id <= $2 ORDER BY id LIMIT ${messagesInRound}) m
      LIMIT ${messagesInRound}
    )
    SELECT recipient_id AS "recipientId", channel_id AS "channelId", min(id) AS "fromId", max(id) AS "toId",
      count(*)::int AS messages
    FROM message GROUP BY recipient_id, channel_id, place ORDER BY recipient_id, place`,
  overrides: { fromId: notNull, toId: notNull },
});

/** A step to insert. */
export interface NewStep {
  readonly channelId: number | null;
  readonly recipientIds: readonly number[];
  readonly fromId: number;
  readonly toId: number;
  readonly planned: number;
}

/**
 * Cuts the remaining messages into steps: each of one channel, so that it locks only one, or of some direct conversations.
 * @returns the steps of one round; none if no message is left. Steps of one channel are spread over the list, because
 *   they would wait for the channel's row if they ran at the same time
 */
export async function cutSteps(tx: Tx, scope: DeletionScope): Promise<NewStep[]> {
  const { userId, maxMessageId, publicChannels, privateChannels, direct } = scope;
  const found = await tx.rows(pieces, [
    userId,
    maxMessageId,
    publicChannels,
    privateChannels,
    direct,
  ]);
  const whole = wholeConversations(found);
  const steps = found
    .filter((piece) => !whole.has(piece))
    .map((piece) => stepOf([piece], maxMessageId));
  let small: Piece[] = [];
  let messages = 0;
  for (const piece of whole) {
    if (small.length === conversationsInStep || messages + piece.messages > messagesInStep) {
      steps.push(stepOf(small, maxMessageId));
      small = [];
      messages = 0;
    }
    small.push(piece);
    messages += piece.messages;
  }
  if (small.length > 0) steps.push(stepOf(small, maxMessageId));
  return interleave(steps).slice(0, stepsInRound);
}

/** Orders steps round-robin by channel: the first of each, then the second of each. */
function interleave(steps: readonly NewStep[]): NewStep[] {
  const counts = new Map<number | null, number>();
  const placed = steps.map((step) => {
    const round = counts.get(step.channelId) ?? 0;
    counts.set(step.channelId, round + 1);
    return { step, round };
  });
  return placed.toSorted((a, b) => a.round - b.round).map(({ step }) => step);
}

/** Direct conversations that fit into one piece. Only these share a step, which deletes all messages of each. */
function wholeConversations(found: readonly Piece[]): ReadonlySet<Piece> {
  const last = found.at(-1);
  const isCut = found.reduce((sum, { messages }) => sum + messages, 0) === messagesInRound;
  return new Set(
    found.filter(
      (piece, i) =>
        piece.channelId === null &&
        found[i - 1]?.recipientId !== piece.recipientId &&
        found[i + 1]?.recipientId !== piece.recipientId &&
        !(isCut && piece === last),
    ),
  );
}

function stepOf(of: readonly Piece[], maxMessageId: number): NewStep {
  const [first] = of;
  if (!first) throw new Error("a deletion step has no messages");
  const one = of.length === 1;
  return {
    channelId: first.channelId,
    recipientIds: of.map(({ recipientId }) => recipientId),
    fromId: one ? first.fromId : 0,
    toId: one ? first.toId : maxMessageId,
    planned: of.reduce((sum, piece) => sum + piece.messages, 0),
  };
}
