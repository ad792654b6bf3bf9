import { statement, type Tx } from "@carillon/db";

import { archivedDays } from "../messages/removal/archive-messages.ts";

/** Number of deletions that one statement forgets. Their steps, some hundreds for each at most, are deleted with them. */
const batch = 20;

const forget = statement({
  name: "message-deletions-forget",
  text: `DELETE FROM message_deletion_jobs WHERE id = ANY(ARRAY(
      SELECT id FROM message_deletion_jobs WHERE finished_at < now() - interval '${archivedDays} days'
      ORDER BY finished_at LIMIT ${batch}))
    RETURNING id`,
});

/** Removes records of deletions whose messages can no longer be restored. @returns whether there may be more */
export async function forgetDeletions(tx: Tx): Promise<boolean> {
  return (await tx.rows(forget)).length === batch;
}
