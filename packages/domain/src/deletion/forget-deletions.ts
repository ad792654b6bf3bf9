import { column, statement, type Tx } from "@carillon/db";

import { archivedDays } from "../messages/removal/archive-messages.ts";

/** Deletions that are forgotten at once: each has up to some hundreds of steps, which go with it. */
const atOnce = 20;

const forget = statement({
  name: "message-deletions-forget",
  text: `DELETE FROM message_deletion_jobs WHERE id = ANY(ARRAY(
      SELECT id FROM message_deletion_jobs WHERE finished_at < now() - interval '${archivedDays} days'
      ORDER BY finished_at LIMIT ${atOnce}))
    RETURNING id`,
  row: { id: column.bigint },
});

/** Forgets deletions whose messages can be brought back no longer. @returns whether there may be more */
export async function forgetDeletions(tx: Tx): Promise<boolean> {
  return (await tx.rows(forget)).length === atOnce;
}
