-- outside a transaction
-- Searches by date: one message in 64, by organization (docs/decisions/087).
DROP INDEX CONCURRENTLY IF EXISTS "messages_sampled_idx";
CREATE INDEX CONCURRENTLY "messages_sampled_idx" ON "messages" (realm_id, id) WHERE id % 64 = 0;
