import { claimIntent, finishIntent } from "@carillon/outbox";
import { planDeletion } from "@carillon/domain";
import { deleteMessages, deleteMessagesStep } from "@carillon/jobs";
import { AwaitChildren } from "@carillon/queue";

import { intentSteps } from "../intent-processor.ts";

/** Plans the deletion of an account's messages in rounds, until a round finds no more messages. */
export default intentSteps(deleteMessages, async (db, ref) => {
  const steps = await db.transaction(async (tx) => {
    const intent = await claimIntent(tx, deleteMessages, ref);
    if (!intent) return [];
    const { realmId, payload } = intent;
    const left = await planDeletion(tx, { realmId, ...payload, version: ref.version });
    if (left.length === 0) await finishIntent(tx, intent.id);
    return left;
  });
  if (steps.length > 0)
    throw new AwaitChildren(steps.map((step) => ({ job: deleteMessagesStep, payload: step })));
});
