import { statement } from "@carillon/db";
import { clearPasswordResets } from "@carillon/jobs";

import { taskInBatches } from "../task-in-batches.ts";

/** Tables, and the days after which their rows are deleted. */
const tables = [
  { table: "password_resets", days: 30 },
  { table: "reset_requests", days: 30 },
  { table: "login_tickets", days: 1 },
] as const;

const clears = tables.map(({ table, days }) =>
  statement({
    name: `clear-${table}`,
    text: `WITH cleared AS (
      DELETE FROM ${table} WHERE id = ANY (ARRAY(
        SELECT id FROM ${table} WHERE created_at < now() - interval '${days} days'
        ORDER BY created_at LIMIT $1)) RETURNING id)
    SELECT count(*)::int AS count FROM cleared`,
  }),
);

/** Deletes links and tickets that expired long ago. */
export default taskInBatches(clearPasswordResets, async (tx, size) => {
  let most = 0;
  for (const clear of clears) most = Math.max(most, (await tx.first(clear, [size]))?.count ?? 0);
  return most;
});
