-- outside a transaction
-- Each call of an outgoing webhook bot is answered once. Other messages cost this index nothing.
DROP INDEX CONCURRENTLY IF EXISTS "messages_outgoing_call_id_key";
CREATE UNIQUE INDEX CONCURRENTLY "messages_outgoing_call_id_key" ON "messages" (outgoing_call_id) WHERE outgoing_call_id IS NOT NULL;
