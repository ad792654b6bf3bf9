import { errors, type NarrowTerm } from "@carillon/contract";
import { type Database, type Sql, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  type ChannelNeed,
  currentActor,
  loadRealm,
  namedTopic,
  requireChannel,
} from "@carillon/model";

import { recordPushRemovals } from "../../notifications/record-removals.ts";
import { allRead, changeFlag, type EditableFlag, flagAddition } from "../flags/change-flag.ts";
import {
  nothingUnread,
  currentBounds,
  pushedMessagesOf,
  recordRest,
  takeMarkStep,
  type ToMark,
  topicDigest,
} from "../flags/mark-read-step.ts";
import { findMessages, foundInRefusedChannel } from "../read/find-messages.ts";
import { parseAnchor, checkAmount, maxMessages, type RequestedMessages } from "../read/request.ts";
import { checkTerms, compileNarrow } from "../read/narrow/compile.ts";
import { narrowLookups } from "../read/narrow/lookups.ts";
import { followWith } from "../read/narrow/operators.ts";

/** What to mark read: a channel or one of its topics; without a channel, everything. */
export interface MarkAsReadTarget {
  readonly channelId?: number;
  readonly topic?: string;
}

/** Unread messages that one transaction examines: about 20 ms. */
const batchSize = 2_000;

/** Milliseconds after which a request starts no further batch (messages.md §7). */
const defaultBudgetMs = 40;

const need: ChannelNeed = { access: "content", archived: true };

/**
 * Marks the account's unread messages read (messages.md §7), oldest first. Each batch is committed with its events. A
 * job marks the remainder when the time is over. Messages committed after the request's first statement stay unread,
 * also in the job.
 * @param budgetMs time after which no further batch starts
 * @returns false if a job continues
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED`
 */
export async function markAsRead(
  db: Database,
  account: Account,
  target: MarkAsReadTarget,
  budgetMs = defaultBudgetMs,
): Promise<boolean> {
  const end = performance.now() + budgetMs;
  const toMark = await db.transaction(
    async (tx) => {
      const [bounds, what] = await Promise.all([
        currentBounds(tx, account.realmId),
        resolveTarget(tx, account, target),
      ]);
      return { ...bounds, ...what };
    },
    { mode: "repeatable read read only" },
  );
  for (let after = 0; ;) {
    const next = await db.transaction((tx) => markBatch(tx, account, toMark, { after, end }));
    if (typeof next === "boolean") return next;
    after = next;
  }
}

/**
 * Returns the channel and topic to mark read, for {@link takeMarkStep}.
 * @throws ApiError `BAD_REQUEST` if the account cannot read the channel, or has received no message of the topic
 */
async function resolveTarget(
  tx: Tx,
  account: Account,
  { channelId, topic }: MarkAsReadTarget,
): Promise<Pick<ToMark, "channelId" | "topicDigest">> {
  if (channelId === undefined) return {};
  await requireChannel(tx, account, channelId, need);
  if (topic === undefined) return { channelId };
  const name = await namedTopic(tx, account.realmId, topic);
  if (!(await hasReceivedOfTopic(tx, account.id, channelId, name)))
    throw errors.badRequest("You have received no message of this topic");
  return { channelId, topicDigest: await topicDigest(tx, name) };
}

/**
 * Marks the next batch of messages as read. At the time limit `end`, records a job for the rest.
 * @returns the last examined message if another batch follows; otherwise whether everything is done
 */
async function markBatch(
  tx: Tx,
  account: Account,
  toMark: ToMark,
  { after, end }: { readonly after: number; readonly end: number },
): Promise<number | boolean> {
  const actor = await currentActor(tx, account);
  const readers = [{ userId: actor.id, after }];
  const [step] = await takeMarkStep(tx, actor.realmId, { ...toMark, readers, each: batchSize });
  if (!step) return true;
  const { last, lookedAt } = step;
  const marked = [...(step.marked ?? [])];
  const done = lookedAt < batchSize;
  const outOfTime = !done && performance.now() >= end;
  if (outOfTime) await recordRest(tx, actor, toMark, last);
  await recordPushRemovals(tx, actor.realmId, pushedMessagesOf([step]));
  if (marked.length > 0) {
    const all = done && toMark.channelId === undefined && (await nothingUnread(tx, actor));
    const event = all ? allRead(actor.id) : flagAddition("read", marked, [actor.id]);
    emit(tx, actor.realmId, [event]);
  }
  return done || outOfTime ? done : last;
}

/**
 * Scans from the topic's newest message down to the first that the account has a copy of, and stops at the account's
 * oldest copy.
 */
const received = statement({
  name: "topic-received",
  text: `SELECT EXISTS (
    SELECT FROM messages m
    WHERE m.recipient_id = (SELECT id FROM recipients WHERE channel_id = $1) AND m.is_channel
      AND lower(m.topic) = lower($2)
      AND m.id >= (SELECT min(message_id) FROM user_messages WHERE user_id = $3)
      AND EXISTS (SELECT FROM user_messages um WHERE um.user_id = $3 AND um.message_id = m.id OFFSET 0)
  ) AS any`,
});

/** Whether the account has a copy of a message of the topic. */
async function hasReceivedOfTopic(
  sql: Sql,
  userId: number,
  channelId: number,
  topic: string,
): Promise<boolean> {
  const [row] = await sql.rows(received, [channelId, topic, userId]);
  return row?.any ?? false;
}

interface FlagChangeInNarrow {
  readonly op: "add" | "remove";
  readonly flag: EditableFlag;
  readonly anchor: string;
  /** Only for the anchor `date`. */
  readonly anchorDate?: string | undefined;
  readonly includeAnchor: boolean;
  readonly numBefore: number;
  readonly numAfter: number;
  readonly narrow: readonly NarrowTerm[];
}

interface FlagsInNarrow {
  /** The messages of the window, ascending. */
  readonly ids: readonly number[];
  readonly foundOldest: boolean;
  readonly foundNewest: boolean;
  /** Number of messages that changed. */
  readonly changed: number;
  /** Channels whose messages stay read, ascending. */
  readonly ignored: number[];
}

/**
 * Changes a flag of the account's copies of the messages that match a narrow around an anchor (messages.md §7). Skips
 * messages that the account can no longer see.
 * @throws ApiError `BAD_REQUEST`, `BAD_NARROW`, `UNAUTHORIZED`
 */
export async function changeFlagInNarrow(
  tx: Tx,
  account: Account,
  change: FlagChangeInNarrow,
): Promise<FlagsInNarrow> {
  checkTerms(change.narrow);
  const wanted = clamped({ ...change, kind: "window", anchor: parseAnchor(change) });
  const terms = await followWith(tx, account, change.narrow);
  checkAmount(wanted);
  const realm = loadRealm(tx, account.realmId);
  const lookups = narrowLookups(tx, account);
  const narrow = await compileNarrow(terms, { viewer: account, realm, lookups });
  const { ids, foundOldest, foundNewest } =
    narrow.channel === "refused"
      ? foundInRefusedChannel(wanted)
      : await findMessages(tx, { viewer: account, narrow }, wanted);
  const { op, flag } = change;
  const result = await changeFlag(tx, account, { op, flag, ids, unseen: "left out" });
  return { ids, foundOldest, foundNewest, ...result };
}

type Window = Extract<RequestedMessages, { kind: "window" }>;

/** Limits the window to the maximum of one change; if both sides are large, each keeps half. */
function clamped(window: Window): Window {
  const half = maxMessages / 2;
  const numBefore = Math.min(window.numBefore, Math.max(maxMessages - window.numAfter, half));
  return { ...window, numBefore, numAfter: Math.min(window.numAfter, maxMessages - numBefore) };
}
