import { answerCommand, botClient, CommandRefused } from "@carillon/domain";
import { lockKey, type Database } from "@carillon/db";
import { botCommand, type IntentRef } from "@carillon/jobs";
import type { SendingClient, Site } from "@carillon/model";
import {
  claimIntent,
  finishIntent,
  firstIntentOfAccount,
  IntentBusy,
  lockSoon,
  readIntent,
} from "@carillon/outbox";

import { recordingFailure } from "../intent-processor.ts";
import { processor } from "../processor.ts";

/**
 * Answers a command to the scheduling bot, after the earlier ones of the same person. One transaction, under the person's
 * lock, runs a command, sends the answer and finishes the intent.
 */
export default processor(botCommand, (context) =>
  recordingFailure(botCommand, context, async (db) => {
    const own = await readIntent(db, botCommand, context.payload);
    if (!own) return;
    const { site } = context.services;
    const { userId } = own.payload;
    const client = await botClient(db);
    while (!(await answerNext({ db, site, client, own: context.payload, userId })));
  }),
);

/**
 * Milliseconds that a job waits for an earlier command of its person, longer than commands take. A job that waited for a
 * command which itself waits for a lock would keep other people's commands from running.
 */
const waitMs = 250;

interface Answering {
  readonly db: Database;
  readonly site: Site;
  readonly client: SendingClient;
  /** The intent of the job. */
  readonly own: IntentRef;
  readonly userId: number;
}

/**
 * Answers the person's oldest unanswered command, at most the job's own. If the API refuses the command, rolls back and
 * sends the refusal in a second transaction.
 * @returns whether the job's own command, and so every earlier one, is answered
 * @throws IntentBusy if an earlier command takes long, or fails: that counts as an attempt of the earlier command's job only
 */
async function answerNext(
  answering: Answering,
  refused?: { readonly ref: IntentRef; readonly refusal: CommandRefused["refusal"] },
): Promise<boolean> {
  const { db, own, userId } = answering;
  let ref: IntentRef | undefined;
  try {
    return await db.transaction(async (tx) => {
      await lockSoon(tx, waitMs, `an earlier command of account ${userId} takes long`, () =>
        lockKey(tx, "botCommands", userId),
      );
      ref = await firstIntentOfAccount(tx, botCommand, userId, own.intentId);
      const intent = ref && (await claimIntent(tx, botCommand, ref));
      if (!ref || !intent) return !ref;
      await finishIntent(tx, intent.id);
      const refusal = refused?.ref.intentId === ref.intentId ? refused.refusal : undefined;
      await answerCommand(tx, answering, intent.realmId, intent.payload, refusal);
      return ref.intentId === own.intentId;
    });
  } catch (error) {
    if (error instanceof CommandRefused && ref && !refused)
      return answerNext(answering, { ref, refusal: error.refusal });
    if (!ref || ref.intentId === own.intentId) throw error;
    throw new IntentBusy(`an earlier command of account ${userId} failed`, { cause: error });
  }
}
