-- Event subscriptions (bot-platform.md §3).
CREATE TABLE "event_subscription" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "bot_id" INTEGER NOT NULL,
    "url" VARCHAR(2048) NOT NULL,
    "origin" VARCHAR(2048) NOT NULL,
    "description" VARCHAR(200) NOT NULL,
    "event_types" TEXT[],
    "narrow" JSONB NOT NULL,
    "all_public_channels" BOOLEAN NOT NULL,
    "earlier_filters" JSONB NOT NULL DEFAULT '[]',
    "state" VARCHAR(10) NOT NULL DEFAULT 'active',
    "state_reason" TEXT,
    "cursor" BIGINT NOT NULL,
    "gap" BOOLEAN NOT NULL DEFAULT false,
    "batch_to" BIGINT,
    "batch_webhook_id" VARCHAR(40),
    "generation" INTEGER NOT NULL DEFAULT 0,
    "calls" INTEGER NOT NULL DEFAULT 0,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(6),
    "calling_until" TIMESTAMPTZ(6),
    "failing_since" TIMESTAMPTZ(6),
    "owner_told_at" TIMESTAMPTZ(6),
    "pinged_at" TIMESTAMPTZ(6)[],
    "secret_sealed" BYTEA NOT NULL,
    "old_secret_sealed" BYTEA,
    "old_secret_until" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_subscription_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "event_subscription_realm_id_idx" ON "event_subscription"("realm_id");
CREATE INDEX "event_subscription_bot_id_idx" ON "event_subscription"("bot_id");

ALTER TABLE "event_subscription" ADD CONSTRAINT "event_subscription_bot_id_fkey"
    FOREIGN KEY ("bot_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- An attempt is of a bot's call for a message, or of a subscription's batch or ping.
ALTER TABLE "outgoing_attempt" ALTER COLUMN "bot_id" DROP NOT NULL,
    ALTER COLUMN "message_id" DROP NOT NULL,
    ADD COLUMN "subscription_id" INTEGER CONSTRAINT "outgoing_attempt_subscription_id_fkey"
        REFERENCES "event_subscription"("id") ON DELETE CASCADE ON UPDATE NO ACTION,
    ADD COLUMN "first_event_id" BIGINT,
    ADD COLUMN "last_event_id" BIGINT,
    ADD COLUMN "events" INTEGER;

CREATE INDEX "outgoing_attempt_subscription_id_id_idx" ON "outgoing_attempt"("subscription_id", "id");
