-- outside a transaction
-- Conditions: the newest message of each account in a topic, however many messages there are.
DROP INDEX CONCURRENTLY IF EXISTS "messages_topic_senders_idx";
CREATE INDEX CONCURRENTLY "messages_topic_senders_idx" ON "messages" (recipient_id, lower(topic), sender_id, id DESC) WHERE is_channel;
