import { errors } from "@carillon/contract";
import type { Database, Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  type ChannelNeed,
  currentActor,
  namedTopic,
  requireChannel,
} from "@carillon/model";

import { allRead, flagAddition } from "../flags/flag-events.ts";
import { presentBounds, recordRest, type ToMark } from "../flags/mark-read-later.ts";
import { recordPushRemovals } from "../../notifications/record-removals.ts";
import { pushedIn, takeMarkStep, topicDigest } from "../flags/mark-step.ts";
import { nothingUnread } from "../flags/nothing-unread.ts";
import { hasReceivedOfTopic } from "./received-of-topic.ts";

/** What a request names: everything without a channel, or a channel, or one of its topics. */
export interface NamedToRead {
  readonly channelId?: number;
  readonly topic?: string;
}

/** Unread messages that one transaction looks at: about 20 ms. */
const batchSize = 2_000;

/** Milliseconds after which a request begins no further batch (messages.md §7). */
const enough = 40;

const need: ChannelNeed = { access: "content", archived: true };

/**
 * Marks what the account has not read as read (messages.md §7), oldest first, in batches that are committed each with its
 * events. What is left when the time is over, a job does. What is committed after the request's first statement stays
 * unread, in batches and job alike.
 * @param budgetMs when it is over, no further batch is begun
 * @returns false where a job goes on
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED`
 */
export async function markAsRead(
  db: Database,
  account: Account,
  named: NamedToRead,
  budgetMs = enough,
): Promise<boolean> {
  const end = performance.now() + budgetMs;
  const toMark = await db.transaction(
    async (tx) => {
      const [bounds, what] = await Promise.all([
        presentBounds(tx, account.realmId),
        whatIsNamed(tx, account, named),
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

/** @throws ApiError `BAD_REQUEST` */
async function whatIsNamed(
  tx: Tx,
  account: Account,
  { channelId, topic }: NamedToRead,
): Promise<Pick<ToMark, "channelId" | "topicDigest">> {
  if (channelId === undefined) return {};
  await requireChannel(tx, account, channelId, need);
  if (topic === undefined) return { channelId };
  const name = await namedTopic(tx, account.realmId, topic);
  if (!(await hasReceivedOfTopic(tx, account.id, channelId, name)))
    throw errors.badRequest("You have no message of such a topic");
  return { channelId, topicDigest: await topicDigest(tx, name) };
}

/** @returns the message at which the next batch begins, or whether all is done */
async function markBatch(
  tx: Tx,
  account: Account,
  toMark: ToMark,
  { after, end }: { readonly after: number; readonly end: number },
): Promise<number | boolean> {
  const actor = await currentActor(tx, account);
  const readers = [{ userId: actor.id, after }];
  const toldUntil = { realmId: actor.realmId, seq: toMark.toldUntil };
  const [step] = await takeMarkStep(tx, { ...toMark, toldUntil, readers, each: batchSize });
  if (!step) return true;
  const { last, lookedAt } = step;
  const marked = [...(step.marked ?? [])];
  const done = lookedAt < batchSize;
  const later = !done && performance.now() >= end;
  if (later) await recordRest(tx, actor, toMark, last);
  await recordPushRemovals(tx, actor.realmId, pushedIn([step]));
  if (marked.length > 0) {
    const all = done && toMark.channelId === undefined && (await nothingUnread(tx, actor));
    const event = all ? allRead(actor.id) : flagAddition("read", marked, [actor.id]);
    emit(tx, actor.realmId, [event]);
  }
  return done || later ? done : last;
}
