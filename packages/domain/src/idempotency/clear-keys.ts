import { deleteOldest, type DeletedRows, oldestRows, type Sql, statement } from "@carillon/db";

const clear = statement({
  name: "idempotency-keys-clear",
  text: oldestRows("idempotency_keys", "created_at", "created_at <= now() - interval '24 hours'"),
});

/**
 * Deletes one batch of the answers that are 24 hours old, the oldest first (once-and-again.md §1). Skips rows that a
 * request is replacing.
 */
export function clearExpiredKeys(
  sql: Sql,
  size: number,
  before?: DeletedRows,
): Promise<DeletedRows> {
  return deleteOldest(sql, clear, size, before);
}
