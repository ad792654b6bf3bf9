import type { Database } from "@carillon/db";
import { followLogs, recordDueMails } from "@carillon/domain";
import { mailMissedMessages, planPushes, removePushes, sendPushes } from "@carillon/jobs";
import type { Mail } from "@carillon/mail";
import {
  type FakeBouncer,
  forgetIntents,
  phonePayloads,
  runCalls,
  runIntents,
} from "@carillon/testkit";

/** A decrypted notification of a device (push.md §9). */
export interface PushPayload {
  readonly type: "message" | "remove";
  readonly user_id: number;
  readonly message_id?: number;
  readonly message_ids?: readonly number[];
  readonly channel_id?: number;
  readonly topic?: string;
  readonly content?: string;
  readonly mentioned_user_group_name?: string;
}

/** Push notifications and mails to people of all organizations. */
export interface Notices {
  readonly pushes: readonly PushPayload[];
  readonly mails: readonly Mail[];
}

/** Runs the jobs that notify people of changes since the last call. Does not wait for batching periods. */
export async function sendNotices(db: Database, bouncer: FakeBouncer): Promise<Notices> {
  await runIntents(db, planPushes);
  await runCalls(db, sendPushes, bouncer.config);
  await runCalls(db, removePushes, bouncer.config);
  const payloads = await phonePayloads(bouncer.handedOver);
  bouncer.reset();
  while ((await followLogs(db, 500, new AbortController().signal)) === "more");
  await db.rows("UPDATE missed_mails SET due_at = now() WHERE since IS NOT NULL");
  while ((await recordDueMails(db, 500)) === "more");
  const runs = await runIntents(db, mailMissedMessages);
  await forgetIntents(db, mailMissedMessages);
  const pushes = payloads as unknown as readonly PushPayload[];
  return { pushes, mails: runs.flatMap(({ mail }) => mail) };
}
