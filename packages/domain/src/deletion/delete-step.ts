import { setTimeout as pause } from "node:timers/promises";
import { isPublic } from "@carillon/model";
import { statement, notNull, type Database, type RowOf, type Tx } from "@carillon/db";
import { storedReason } from "@carillon/outbox";
import { emit } from "@carillon/events";
import type { DeletionStepRef } from "@carillon/jobs";

import { countThatFit, maxMessagesOfChannel } from "../messages/removal/removal-size.ts";
import {
  lockChannelsAndAudiences,
  type LockedChannels,
} from "../messages/removal/locked-channels.ts";
import type { RemovalRun } from "../messages/removal/removal-run.ts";
import { removeMessages } from "../messages/removal/remove-messages.ts";
import { runRemoval } from "../messages/removal/run-removal.ts";
import { DeletionThrottle, throttleColumns } from "./throttle.ts";

/** Milliseconds that a throttled step waits before a batch: as long as a batch or two take. */
const throttledPauseMs = 20;

/** Maximum messages in one transaction (users.md §4). */
const maxBatch = 100;

const take = statement({
  name: "message-deletion-step-take",
  text: `SELECT j.realm_id AS "realmId", j.user_id AS "userId", j.acting_user_id AS "actorId",
      j.public_channel_messages AS "publicChannels", j.private_channel_messages AS "privateChannels",
      s.channel_id AS "channelId", s.recipient_ids AS "recipientIds", s.from_id AS "fromId", s.to_id AS "toId",
      s.cursor_recipient AS "cursorRecipient", s.cursor, s.removal_id AS "removalId", ${throttleColumns.text}
    FROM message_deletion_steps s JOIN message_deletion_jobs j ON j.id = s.job_id
    WHERE s.job_id = $1 AND s.step = $2 AND s.finished_at IS NULL FOR NO KEY UPDATE OF s`,
  overrides: { recipientIds: notNull, ...throttleColumns.overrides },
});

type Step = RowOf<typeof take>;

export const next = statement({
  name: "message-deletion-next",
  text: `WITH next AS (
      SELECT m.id FROM unnest($2::int[]) AS r (id) CROSS JOIN LATERAL (
        SELECT recipient_id, id FROM messages
        WHERE sender_id = $1 AND recipient_id = r.id AND id <= $4
          AND id > CASE WHEN r.id = $5 THEN greatest($6::bigint, $3::bigint - 1) ELSE $3::bigint - 1 END
        ORDER BY id LIMIT $7) m
      WHERE r.id >= $5 ORDER BY m.recipient_id, m.id LIMIT $7
    )
    SELECT m.id, m.recipient_id AS "recipientId", (SELECT count(*) FROM reactions WHERE message_id = m.id)::int
      + (SELECT count(*) FROM submessages WHERE message_id = m.id)::int AS "dependentRows"
    FROM messages m
    WHERE m.id = ANY(ARRAY(SELECT id FROM next)) AND m.sender_id = $1 AND m.recipient_id = ANY($2::int[])
    ORDER BY m.id FOR NO KEY UPDATE OF m`,
});

type Found = RowOf<typeof next>;

const recordProgress = statement({
  name: "message-deletion-step-note",
  text: `UPDATE message_deletion_steps SET cursor_recipient = $3, cursor = $4, removal_id = $5, deleted = deleted + $6,
      finished_at = CASE WHEN $7 THEN now() END
    WHERE job_id = $1 AND step = $2`,
});

/**
 * Deletes the messages of one step (users.md §4) in batches of at most a hundred. Each batch commits with its events and
 * the step's cursor, so that a restarted step continues at the cursor, and a batch that runs twice finds nothing.
 */
export async function deleteStep(db: Database, ref: DeletionStepRef): Promise<void> {
  const progress: Progress = {
    throttle: new DeletionThrottle(),
    step: undefined,
    run: undefined,
    size: undefined,
  };
  const deleteNext = () =>
    runRemoval(db, (tx, blockSends) => deleteBatch(tx, ref, progress, blockSends), {
      reusesPlans: true,
    });
  while (await deleteNext()) if (progress.throttle.isThrottled) await pause(throttledPauseMs);
}

/** State that a batch passes to the next one, which can then send its statements without waiting for each. */
interface Progress {
  readonly throttle: DeletionThrottle;
  /** The step after the last batch. */
  step: Step | undefined;
  run: RemovalRun | undefined;
  /** Maximum messages in a batch. */
  size: number | undefined;
}

/** Deletes the next messages of a step, moves its cursor, and returns whether messages are left. */
async function deleteBatch(
  tx: Tx,
  ref: DeletionStepRef,
  progress: Progress,
  blockSends: boolean,
): Promise<boolean> {
  const keys = [ref.deletionId, ref.step];
  const taken = tx.lock({ name: "deletionStep", keys: [ref.deletionId] }, take, keys);
  const known = progress.step ?? (await taken)[0];
  if (!known) return false;
  const { realmId, channelId } = known;
  const sized = Promise.resolve(progress.size ?? batchSize(tx, channelId));
  const [[step], lockedChannels, size, found] = await Promise.all([
    taken,
    lockChannelsAndAudiences(tx, realmId, channelId === null ? [] : [channelId], blockSends),
    sized,
    sized.then((most) => lockNext(tx, known, most)),
  ]);
  Object.assign(progress, { step, size });
  if (!step) return false;
  progress.throttle.update(step);
  // Another job of the step has moved the cursor: these are not the next messages.
  if (!isAt(step, known)) return true;
  const messages = isWanted(step, lockedChannels) ? firstOf(found) : [];
  const { run, count, events } = await removeMessages(
    tx,
    progress.run ?? runOf(step),
    lockedChannels,
    messages.map(({ id }) => id),
  );
  const last = messages.at(-1);
  const more = messages.length > 0 && (found.length === size || messages.length < found.length);
  const cursorRecipient = last?.recipientId ?? step.cursorRecipient;
  const cursor = last?.id ?? step.cursor;
  const removalId = run.id ?? null;
  tx.sendWithCommit(recordProgress, [...keys, cursorRecipient, cursor, removalId, count, !more]);
  emit(tx, realmId, events);
  tx.afterCommit(() => {
    progress.step = { ...step, cursorRecipient, cursor, removalId };
    progress.run = run;
  });
  return more;
}

function runOf({ realmId, channelId, actorId, removalId }: Step): RemovalRun {
  return { realmId, channelId, cause: "deactivation", actorId, id: removalId ?? undefined };
}

/** Returns the first messages, as many as one transaction may remove: their reactions and submessages count too. */
function firstOf(found: readonly Found[]): readonly Found[] {
  const inOrder = found.toSorted((a, b) => a.recipientId - b.recipientId || a.id - b.id);
  return inOrder.slice(0, countThatFit(inOrder.map(({ dependentRows }) => dependentRows)));
}

async function batchSize(tx: Tx, channelId: number | null): Promise<number> {
  if (channelId === null) return maxBatch;
  return Math.min(maxBatch, await maxMessagesOfChannel(tx, channelId));
}

function isAt(step: Step, { cursorRecipient, cursor }: Step): boolean {
  return step.cursorRecipient === cursorRecipient && step.cursor === cursor;
}

/** Whether the messages of the channel are still to be deleted: it may have become private or public since planning. */
function isWanted(
  { channelId, publicChannels, privateChannels }: Step,
  lockedChannels: LockedChannels,
): boolean {
  if (channelId === null) return true;
  const [channel] = lockedChannels.channels.values();
  return channel !== undefined && (isPublic(channel) ? publicChannels : privateChannels);
}

/** Locks the next messages of the step. */
function lockNext(tx: Tx, step: Step, size: number) {
  return tx.lock({ name: "messages" }, next, [
    step.userId,
    step.recipientIds,
    step.fromId,
    step.toId,
    step.cursorRecipient,
    step.cursor,
    size,
  ]);
}

const fail = statement({
  name: "message-deletion-step-fail",
  text: `UPDATE message_deletion_steps SET attempts = attempts + 1, last_error = $3,
      failed_at = CASE WHEN $4 THEN now() END
    WHERE job_id = $1 AND step = $2 AND finished_at IS NULL`,
});

/** Records a failed attempt. @param failure `last`: it was the job's last attempt */
export async function noteFailedStep(
  db: Database,
  { deletionId, step }: DeletionStepRef,
  failure: { readonly reason: string; readonly last: boolean },
): Promise<void> {
  await db.rows(fail, [deletionId, step, storedReason(failure.reason), failure.last]);
}
