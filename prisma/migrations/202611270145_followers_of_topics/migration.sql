-- outside a transaction
-- Mails and push notifications: the followers of a topic, however many topics of its channel have some.
DROP INDEX CONCURRENTLY IF EXISTS "user_topics_followers_idx";
CREATE INDEX CONCURRENTLY "user_topics_followers_idx" ON "user_topics" (channel_id, lower(topic), user_id) WHERE visibility_policy = 3;
