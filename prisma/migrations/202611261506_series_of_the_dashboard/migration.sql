-- The dashboard's list, latest first: of a state, of an organization, and of a channel, which was in no order.
CREATE INDEX "message_series_state_idx" ON "message_series" (state, id);
CREATE INDEX "message_series_organization_idx" ON "message_series" (realm_id, id);
DROP INDEX "message_series_channel_idx";
CREATE INDEX "message_series_channel_idx" ON "message_series" (channel_id, id) WHERE channel_id IS NOT NULL;
