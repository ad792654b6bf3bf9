-- outside a transaction
-- Counts an account's pending messages without planned occurrences of series from the index alone. The listing of an
-- account's messages, which the dropped index served, uses this one too.
DROP INDEX CONCURRENTLY IF EXISTS "scheduled_messages_sender_idx";
CREATE INDEX CONCURRENTLY "scheduled_messages_sender_idx" ON "scheduled_messages" (sender_id, kind, deliver_at, id)
  INCLUDE (series_id, detached) WHERE NOT delivered;
DROP INDEX CONCURRENTLY IF EXISTS "scheduled_messages_listing_idx";
