import { statement } from "@carillon/db";
import { clearFailures } from "@carillon/jobs";

import { taskInBatches } from "../task-in-batches.ts";

const clear = statement({
  name: "clear-failures",
  text: `WITH cleared AS (
      DELETE FROM delivery_failures WHERE id = ANY (ARRAY(
        SELECT id FROM delivery_failures WHERE failed_at < now() - interval '30 days'
        ORDER BY failed_at, id LIMIT $1)) RETURNING id)
    SELECT count(*)::int AS count FROM cleared`,
});

/** Deletes records of failed messages that the dashboard no longer shows. */
export default taskInBatches(
  clearFailures,
  async (tx, size) => (await tx.first(clear, [size]))?.count ?? 0,
);
