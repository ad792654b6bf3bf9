import { statement } from "@carillon/db";
import { leads, type RecurringTask } from "@carillon/scheduling";
import { clearIdempotencyKeys } from "@carillon/jobs";

/** Without an order: a sort would read all expired rows for each batch, and the BRIN index finds them in the heap's. */
const clear = statement({
  name: "clear-idempotency-keys",
  text: `WITH cleared AS (
      DELETE FROM idempotency_keys WHERE id = ANY (ARRAY(
        SELECT id FROM idempotency_keys WHERE created_at <= now() - interval '24 hours' LIMIT $1)) RETURNING id)
    SELECT count(*)::int AS count FROM cleared`,
});

/** Deletes answers that requests with an `Idempotency-Key` no longer get (once-and-again.md §1). */
export default {
  definition: clearIdempotencyKeys,
  run: ({ db, batches }) =>
    batches((size) =>
      db.transaction(async (tx) => {
        if (!(await leads(tx, clearIdempotencyKeys))) return "done";
        const cleared = await tx.first(clear, [size]);
        return (cleared?.count ?? 0) < size ? "done" : "more";
      }),
    ),
} satisfies RecurringTask;
