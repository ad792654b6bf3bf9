-- What mentions an account in any way, and what has one of its alert words, is a hundredth of what it has received: reading
-- it must not walk the rest. Messages cannot be sent while the indexes are made, about 10 s for 25 million copies.
CREATE INDEX "user_messages_mentioned_idx" ON "user_messages" (user_id, message_id) WHERE flags & 56 <> 0;
CREATE INDEX "user_messages_alerted_idx" ON "user_messages" (user_id, message_id) WHERE flags & 64 <> 0;
