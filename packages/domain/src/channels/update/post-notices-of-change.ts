import { doIntent } from "@carillon/outbox";
import type { Database } from "@carillon/db";
import { type IntentRef, sendNotice } from "@carillon/jobs";
import type { Logger } from "@carillon/kit";

import { sendChannelChangedNotices } from "./send-notices-of-change.ts";

/**
 * Posts the notices of a change that has committed. The change stands whatever becomes of them: where they cannot be
 * posted now, a worker posts them.
 */
export async function postNoticesOfChange(
  { db, log }: { readonly db: Pick<Database, "transaction">; readonly log: Logger },
  kept: IntentRef,
): Promise<void> {
  try {
    await doIntent(db, sendNotice, kept, async (tx, { realmId, payload }) => {
      if (payload.kind === "channel-changed") await sendChannelChangedNotices(tx, realmId, payload);
    });
  } catch (error) {
    log.warn(
      { err: error, intentId: kept.intentId },
      "a worker has to post what a channel's change is told by",
    );
  }
}
