import {
  type Account,
  type Channel,
  type ChannelNeed,
  currentActor,
  hasProtectedHistory,
  isOrganizationAdministrator,
  namedTopic,
  recordAudit,
  requireChannel,
} from "@carillon/model";
import { errors } from "@carillon/contract";
import { column, statement, type Database, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { firstAtOnce, messagesAtOnce } from "./batch-size.ts";
import { lockPlaces } from "./places.ts";
import { removal } from "./removal.ts";
import type { RemovalRun } from "./removal-run.ts";
import { removeMessages } from "./remove-messages.ts";

/** A topic as a request names it. */
export interface TopicToDelete {
  readonly channelId: number;
  readonly topic: string;
}

/** Milliseconds after which no further batch is begun (channels.md §7). */
const enough = 10_000;

const need: ChannelNeed = { access: "content", archived: false };

/**
 * Deletes a topic on behalf of an administrator who may read the channel (channels.md §7): the newest messages first, in
 * batches that are committed each by itself, with every right checked anew. What is sent meanwhile stays. Of protected
 * history it is what the administrator has received.
 * @param budgetMs when it is over, no further batch is begun
 * @returns false where messages may be left
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`; what was deleted before stays so
 */
export async function deleteTopic(
  db: Database,
  account: Account,
  named: TopicToDelete,
  budgetMs = enough,
): Promise<boolean> {
  const end = performance.now() + budgetMs;
  let next: Next = {
    before: Number.MAX_SAFE_INTEGER,
    run: {
      realmId: account.realmId,
      channelId: named.channelId,
      cause: "topic",
      actorId: account.id,
    },
  };
  for (;;) {
    const { before, run } = next;
    const done = await removal(db, (tx, alone) =>
      removeNewest(tx, account, named, { before, run }, alone),
    );
    if (!done.next) return true;
    if (performance.now() >= end) return false;
    next = done.next;
  }
}

/** Where the next batch begins. */
interface Next {
  /** Only messages with a lower id. */
  readonly before: number;
  readonly run: RemovalRun;
}

async function removeNewest(
  tx: Tx,
  account: Account,
  { channelId, topic }: TopicToDelete,
  { before, run }: Next,
  alone: boolean,
): Promise<{ readonly next?: Next }> {
  // Nobody waits for the locks of a channel that they do not see.
  await requireChannel(tx, account, channelId, need);
  const places = await lockPlaces(tx, account.realmId, [channelId], alone);
  const actor = await currentActor(tx, account);
  if (!isOrganizationAdministrator(actor))
    throw errors.unauthorizedPrincipal("Only administrators may delete topics");
  const channel = await requireChannel(tx, actor, channelId, need);
  const name = await namedTopic(tx, actor.realmId, topic);
  const size = await messagesAtOnce(tx, channel.id);
  const found = await lockNewest(tx, actor, channel, { name, before, size });
  const ids = (await firstAtOnce(tx, found.toReversed())).toReversed();
  const { run: now, count, events } = await removeMessages(tx, run, places, ids);
  if (run.id === undefined && count > 0)
    recordAudit(tx, actor.realmId, actor.id, [
      { type: "topic_deleted", data: { stream_id: channel.id, removal_id: now.id } },
    ]);
  emit(tx, actor.realmId, events);
  const [oldest] = ids;
  const more = found.length === size || ids.length < found.length;
  return oldest !== undefined && more ? { next: { before: oldest, run: now } } : {};
}

const newest = statement({
  name: "newest-of-topic-for-removal",
  text: `WITH newest AS (
      SELECT m.id FROM messages m
      WHERE m.recipient_id = (SELECT id FROM recipients WHERE channel_id = $1) AND m.is_channel
        AND lower(m.topic) = lower($2) AND m.id < $3
        AND ($5::int IS NULL
          OR EXISTS (SELECT FROM user_messages um WHERE um.user_id = $5 AND um.message_id = m.id))
      ORDER BY m.id DESC LIMIT $4
    )
    SELECT m.id FROM messages m
    WHERE m.id = ANY(ARRAY(SELECT id FROM newest))
      AND m.recipient_id = (SELECT id FROM recipients WHERE channel_id = $1) AND lower(m.topic) = lower($2)
    ORDER BY m.id FOR NO KEY UPDATE OF m`,
  row: { id: column.bigint },
});

/** The newest messages of the topic that the administrator may read, locked; ascending. */
async function lockNewest(
  tx: Tx,
  actor: Account,
  channel: Channel,
  { name, before, size }: { name: string; before: number; size: number },
): Promise<number[]> {
  const receiver = hasProtectedHistory(channel) ? actor.id : null;
  const values = [channel.id, name, before, size, receiver];
  const rows = await tx.lock({ name: "messages" }, newest, values);
  return rows.map(({ id }) => id);
}
