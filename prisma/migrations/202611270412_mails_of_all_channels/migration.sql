-- outside a transaction
-- The accounts that want mails about all channels, most of whom are none, found without reading everybody's settings.
DROP INDEX CONCURRENTLY IF EXISTS "users_mails_of_channels_idx";
CREATE INDEX CONCURRENTLY "users_mails_of_channels_idx" ON "users" (realm_id, id)
  WHERE (settings->>'enable_stream_email_notifications')::boolean;
