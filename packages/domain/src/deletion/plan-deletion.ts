import { statement, type RowOf, type Tx } from "@carillon/db";
import { GiveUp, type DeletionStepRef } from "@carillon/jobs";

import { cutSteps, type NewStep } from "./cut-steps.ts";

/** Maximum jobs of one step that may die with their workers before the deletion becomes a dead letter. */
const maxJobs = 10;

const take = statement({
  name: "message-deletion-take",
  text: `SELECT user_id AS "userId", public_channel_messages AS "publicChannels",
      private_channel_messages AS "privateChannels", direct_messages AS direct, max_message_id AS "maxMessageId", version
    FROM message_deletion_jobs WHERE realm_id = $1 AND id = $2 AND finished_at IS NULL FOR NO KEY UPDATE`,
});

const retryFailed = statement({
  name: "message-deletion-again",
  text: `WITH step AS (
      UPDATE message_deletion_steps SET failed_at = NULL, jobs = 0 WHERE job_id = $1 AND finished_at IS NULL
    )
    UPDATE message_deletion_jobs SET version = $2 WHERE id = $1`,
});

const open = statement({
  name: "message-deletion-open-steps",
  text: `SELECT step, jobs, failed_at IS NOT NULL AS failed, last_error AS "lastError" FROM message_deletion_steps
    WHERE job_id = $1 AND finished_at IS NULL ORDER BY step`,
});

const insert = statement({
  name: "message-deletion-steps-insert",
  text: `INSERT INTO message_deletion_steps (job_id, step, channel_id, recipient_ids, from_id, to_id, planned)
    SELECT $1, (SELECT coalesce(max(step), 0) FROM message_deletion_steps WHERE job_id = $1) + s.ord,
      (s.step->>'channelId')::int, ARRAY(SELECT jsonb_array_elements_text(s.step->'recipientIds')::int),
      (s.step->>'fromId')::bigint, (s.step->>'toId')::bigint, (s.step->>'planned')::int
    FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS s (step, ord)`,
});

const assignJobs = statement({
  name: "message-deletion-steps-give",
  text: `UPDATE message_deletion_steps SET jobs = jobs + 1
    WHERE job_id = $1 AND finished_at IS NULL AND failed_at IS NULL AND jobs < ${maxJobs}
    RETURNING step, jobs`,
});

const finish = statement({
  name: "message-deletion-finish",
  text: "UPDATE message_deletion_jobs SET finished_at = now() WHERE id = $1",
});

/** A deletion, as its job names it. */
export interface Deletion {
  readonly realmId: number;
  readonly deletionId: number;
  /** The version of its intent. */
  readonly version: number;
}

/**
 * Plans the next round of a deletion of messages (users.md §4): its unfinished steps, or else new steps for the remaining
 * messages, for example ones that were moved meanwhile. Finishes the deletion if no message is left.
 * @returns the steps that need a job; none if the deletion is finished
 * @throws GiveUp if the remaining steps have failed; all others are finished then
 */
export async function planDeletion(tx: Tx, deletion: Deletion): Promise<DeletionStepRef[]> {
  const { realmId, deletionId, version } = deletion;
  const [job] = await tx.lock({ name: "deletions", keys: [deletionId] }, take, [
    realmId,
    deletionId,
  ]);
  if (!job) return [];
  if (version > job.version) await tx.rows(retryFailed, [deletionId, version]);
  const left = await tx.rows(open, [deletionId]);
  if (left.length === 0 && !(await writeSteps(tx, deletionId, await cutSteps(tx, job)))) {
    await tx.rows(finish, [deletionId]);
    return [];
  }
  const assigned = await tx.rows(assignJobs, [deletionId]);
  if (assigned.length === 0) throw new GiveUp(failureReason(left));
  return assigned
    .map(({ step, jobs }) => ({ deletionId, step, job: jobs }))
    .toSorted((a, b) => a.step - b.step);
}

/** Inserts the steps of a deletion, and returns whether there are any. */
async function writeSteps(tx: Tx, deletionId: number, steps: readonly NewStep[]): Promise<boolean> {
  if (steps.length > 0) await tx.rows(insert, [deletionId, JSON.stringify(steps)]);
  return steps.length > 0;
}

function failureReason(left: ReadonlyArray<RowOf<typeof open>>): string {
  const first = left.find(({ lastError }) => lastError !== null);
  return `${left.length} steps failed, the first one with: ${first?.lastError ?? "unknown error"}`;
}
