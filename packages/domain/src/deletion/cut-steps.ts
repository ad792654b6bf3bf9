import { isPrivateSql } from "@carillon/model";
import { column, statement, type RowOf, type Tx } from "@carillon/db";

/** Messages of one step: about half a second of work, after which others get their turn. */
const messagesInStep = 2_000;
/** Conversations of one step. */
const conversationsInStep = 100;
/** Steps of one round: BullMQ notes the end of each child in turn. What is left is for the next round. */
const stepsInRound = 400;
const messagesInRound = messagesInStep * stepsInRound;

/** Whose messages are cut into steps, and which of them. */
export interface DeletionScope {
  readonly userId: number;
  readonly maxMessageId: number;
  readonly publicChannels: boolean;
  readonly privateChannels: boolean;
  readonly direct: boolean;
}

/** Whether messages to the recipient `r`, of the channel `c` if it is one, are wanted; of three booleans. */
const isWanted = (publicChannels: string, privateChannels: string, direct: string) =>
  `CASE WHEN r.channel_id IS NULL THEN ${direct} WHEN ${isPrivateSql} THEN ${privateChannels} ELSE ${publicChannels} END`;

const pieceRow = {
  recipientId: column.int,
  channelId: column.int.orNull(),
  fromId: column.bigint,
  toId: column.bigint,
  messages: column.int,
};

type Piece = RowOf<typeof pieceRow>;

/**
 * Goes along `messages_sender_id_recipient_id_id_idx`: from one conversation to the next, whatever lies between, and
 * through those that are wanted, as far as one round comes.
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
  row: pieceRow,
});

/** A step that is to be written down. */
export interface NewStep {
  readonly channelId: number | null;
  readonly recipientIds: readonly number[];
  readonly fromId: number;
  readonly toId: number;
  readonly planned: number;
}

/**
 * Cuts what is left of the messages into steps: each is of one channel, so that it locks one only, or of some direct
 * conversations.
 * @returns none where nothing is left; those of one round, where there is more; those of a channel far apart, since
 * steps that go on at once would wait for its row in turns
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
  return byTurns(steps).slice(0, stepsInRound);
}

/** The first step of each channel, then the second ones, and so on. */
function byTurns(steps: readonly NewStep[]): NewStep[] {
  const turns = new Map<number | null, number>();
  const placed = steps.map((step) => {
    const turn = turns.get(step.channelId) ?? 0;
    turns.set(step.channelId, turn + 1);
    return { step, turn };
  });
  return placed.toSorted((a, b) => a.turn - b.turn).map(({ step }) => step);
}

/** Direct conversations of which one piece is all: only such share a step, which takes whatever each of them has. */
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
  if (!first) throw new Error("a step has something to do");
  const one = of.length === 1;
  return {
    channelId: first.channelId,
    recipientIds: of.map(({ recipientId }) => recipientId),
    fromId: one ? first.fromId : 0,
    toId: one ? first.toId : maxMessageId,
    planned: of.reduce((sum, piece) => sum + piece.messages, 0),
  };
}
