-- Who wants to be notified of every message of their channels: a few of many accounts, asked for with each message.
CREATE INDEX "users_channel_pushes_idx" ON "users" (realm_id, id)
  WHERE coalesce((settings->>'enable_stream_push_notifications')::boolean, false);
