-- outside a transaction
-- The channels of a person who comes back: nearly all subscriptions have no deferred copies.
DROP INDEX CONCURRENTLY IF EXISTS "subscriptions_deferred_idx";
CREATE INDEX CONCURRENTLY "subscriptions_deferred_idx" ON "subscriptions" (user_id, channel_id) WHERE deferred_after IS NOT NULL;
