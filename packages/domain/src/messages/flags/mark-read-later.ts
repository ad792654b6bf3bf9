import type { Account } from "@carillon/model";
import { column, statement, type Tx } from "@carillon/db";
import { recordIntents } from "@carillon/outbox";
import { emit } from "@carillon/events";
import { markRead, type MarkReadIntent } from "@carillon/jobs";
import { uniqueId } from "@carillon/kit";

import { recordPushRemovals } from "../../notifications/record-removals.ts";
import { pushedIn, takeMarkStep } from "./mark-step.ts";
import { readEvents } from "./alike-events.ts";

/** So many people are in the hands of one job. */
const readersAtOnce = 1_000;
/** So many unread messages one step looks at, of all of them together: about 0.1 s. */
const lookedAtInStep = 10_000;

const lastMessage = statement({
  name: "last-message-id",
  text: "SELECT last_value AS id FROM messages_id_seq",
  row: { id: column.bigint },
});

/**
 * Writes down that what the accounts have not read of the channels is to be marked read (channels.md §11). The channels'
 * audiences must be locked: then what is sent to them later has a higher id.
 */
export async function recordMarkRead(
  tx: Tx,
  realmId: number,
  unsubscribed: ReadonlyArray<{ readonly channelId: number; readonly userId: number }>,
): Promise<void> {
  if (unsubscribed.length === 0) return;
  const last = await tx.first(lastMessage);
  const byChannel = grouped(unsubscribed, ({ channelId }) => channelId);
  const request = uniqueId();
  const intents = [...byChannel].flatMap(([channelId, pairs]) => {
    const starts = pairs.flatMap((_, i) => (i % readersAtOnce === 0 ? [i] : []));
    return starts.map((start) => ({
      key: `${request}-${channelId}-${start}`,
      payload: {
        channelId,
        upTo: last?.id ?? 0,
        readers: pairs
          .slice(start, start + readersAtOnce)
          .map(({ userId }) => ({ userId, after: 0 })),
      },
    }));
  });
  await recordIntents(tx, realmId, markRead, intents);
}

/**
 * One step of marking messages read for those who have left their channel, or have asked for it, with its events; what is
 * left to do is written down as the next one. A step that runs again marks nothing anew, and tells nobody.
 * @param intentId the step's, which names the next one
 */
export async function markReadLater(
  tx: Tx,
  realmId: number,
  intentId: number,
  payload: MarkReadIntent,
): Promise<void> {
  const { readers, toldUntil: seq, ...which } = payload;
  const each = Math.ceil(lookedAtInStep / readers.length);
  const toldUntil = seq === undefined ? undefined : { realmId, seq };
  const steps = await takeMarkStep(tx, { ...which, toldUntil, readers, each });
  const left = steps.flatMap(({ userId, last, lookedAt }) =>
    lookedAt === each ? [{ userId, after: last }] : [],
  );
  if (left.length > 0)
    await recordIntents(tx, realmId, markRead, [
      { key: `after-${intentId}`, payload: { ...payload, readers: left } },
    ]);
  const read = steps.flatMap(({ userId, marked }) => (marked ? [{ userId, ids: marked }] : []));
  await recordPushRemovals(tx, realmId, pushedIn(steps));
  emit(tx, realmId, readEvents(read));
}

/** What an account wants marked as read: of what had been committed when it asked. */
export interface ToMark {
  readonly channelId?: number;
  /** Of the channel, see {@link topicDigest}. */
  readonly topicDigest?: string;
  /** The last id that had been given to a message. */
  readonly upTo: number;
  /** The place in the log of the organization: messages with lower ids may be told, and committed, behind it. */
  readonly toldUntil: number;
}

const present = statement({
  name: "mark-read-bounds",
  text: `SELECT coalesce((SELECT seq FROM event_head WHERE realm_id = $1), 0) AS "toldUntil",
    last_value AS "upTo" FROM messages_id_seq`,
  row: { toldUntil: column.bigint, upTo: column.bigint },
});

/** The bounds of what has been committed by now. */
export async function presentBounds(
  tx: Tx,
  realmId: number,
): Promise<Pick<ToMark, "upTo" | "toldUntil">> {
  const bounds = await tx.first(present, [realmId]);
  if (!bounds) throw new Error("PostgreSQL has no sequence of messages");
  return bounds;
}

/**
 * Writes down the rest of what an account wants marked as read.
 * @param after how far it has been done
 */
export async function recordRest(
  tx: Tx,
  { id: userId, realmId }: Pick<Account, "id" | "realmId">,
  toMark: ToMark,
  after: number,
): Promise<void> {
  const payload = { ...toMark, readers: [{ userId, after }] };
  await recordIntents(tx, realmId, markRead, [{ key: uniqueId(), payload }]);
}

function grouped<T, K>(values: readonly T[], key: (value: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const value of values) {
    const group = groups.get(key(value));
    if (group) group.push(value);
    else groups.set(key(value), [value]);
  }
  return groups;
}
