import { statement, type Sql } from "@carillon/db";
import type { RecurringTask } from "@carillon/scheduling";
import { clearRateHits } from "@carillon/jobs";

const { batch } = clearRateHits.bound;

const clear = statement({
  name: "rate-hits-clear",
  text: `WITH cleared AS (
      DELETE FROM rate_hits WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM rate_hits WHERE expires_at < now() LIMIT ${batch} FOR NO KEY UPDATE SKIP LOCKED))
      RETURNING 1
    )
    SELECT count(*)::int AS count FROM cleared`,
});

/** Deletes all expired counts, in small batches. */
export default {
  definition: clearRateHits,
  run: ({ db, batches }) =>
    batches(async (size) => ((await clearOnce(db)) < size ? "done" : "more")),
} satisfies RecurringTask;

async function clearOnce(sql: Sql): Promise<number> {
  const [row] = await sql.rows(clear);
  return row?.count ?? 0;
}
