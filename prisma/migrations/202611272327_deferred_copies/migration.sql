-- The messages of a channel that may have no copies for a person who was away.
ALTER TABLE "subscriptions" ADD COLUMN "deferred_after" BIGINT,
    ADD COLUMN "deferred_until" BIGINT,
    ADD COLUMN "deferred_read" BOOLEAN NOT NULL DEFAULT false;
