import type { Database, Tx } from "@carillon/db";
import type { IntentDefinition, IntentRef } from "@carillon/jobs";

import { claimIntent, type ClaimedIntent } from "./claim-intent.ts";
import { finishIntent } from "./end-intent.ts";

/**
 * Does an intent's work in one transaction with its end; nothing where it is done, dead or replayed since.
 * @throws IntentBusy when another transaction has it for longer than two seconds
 */
export async function doIntent<Payload>(
  db: Pick<Database, "transaction">,
  definition: IntentDefinition<Payload>,
  ref: IntentRef,
  work: (tx: Tx, intent: ClaimedIntent<Payload>) => Promise<void>,
): Promise<void> {
  await db.transaction(async (tx) => {
    const intent = await claimIntent(tx, definition, ref);
    if (!intent) return;
    await finishIntent(tx, intent.id);
    await work(tx, intent);
  });
}
