-- outside a transaction
-- Finds the rows older than 24 hours in their order. The BRIN index did so only until the space of deleted rows was used
-- again: the range of a block never narrows, so that in the end each block may have had an old row.
DROP INDEX CONCURRENTLY IF EXISTS "idempotency_keys_created_at_idx";
CREATE INDEX CONCURRENTLY "idempotency_keys_created_at_idx" ON "idempotency_keys" ("created_at");
