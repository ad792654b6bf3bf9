import { statement } from "@carillon/db";
import { leads, type RecurringTask } from "@carillon/scheduling";
import { clearFailures } from "@carillon/jobs";

const clear = statement({
  name: "clear-failures",
  text: `WITH cleared AS (
      DELETE FROM delivery_failures WHERE id = ANY (ARRAY(
        SELECT id FROM delivery_failures WHERE failed_at < now() - interval '30 days'
        ORDER BY failed_at, id LIMIT $1)) RETURNING id)
    SELECT count(*)::int AS count FROM cleared`,
});

/** Deletes records of failed messages that the dashboard no longer shows. */
export default {
  definition: clearFailures,
  run: ({ db, batches }) =>
    batches((size) =>
      db.transaction(async (tx) => {
        if (!(await leads(tx, clearFailures))) return "done";
        const cleared = await tx.first(clear, [size]);
        return (cleared?.count ?? 0) < size ? "done" : "more";
      }),
    ),
} satisfies RecurringTask;
