-- Outgoing webhook bots (bot-platform.md §2, §4).
CREATE TABLE "bot_service" (
    "bot_id" INTEGER NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "name" VARCHAR(100) NOT NULL,
    "url" VARCHAR(2048) NOT NULL,
    "origin" VARCHAR(2048) NOT NULL,
    "interface" SMALLINT NOT NULL,
    "token_sealed" BYTEA NOT NULL,
    "secret_sealed" BYTEA NOT NULL,
    "old_secret_sealed" BYTEA,
    "old_secret_until" TIMESTAMPTZ(6),
    "failing" BOOLEAN NOT NULL DEFAULT false,
    "owner_told_at" TIMESTAMPTZ(6),

    CONSTRAINT "bot_service_pkey" PRIMARY KEY ("bot_id")
);

CREATE TABLE "outgoing_call" (
    "id" BIGSERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "bot_id" INTEGER NOT NULL,
    "message_id" BIGINT NOT NULL,
    "conversation" TEXT NOT NULL,
    "trigger" VARCHAR(20) NOT NULL,
    "webhook_id" VARCHAR(40) NOT NULL,
    "state" VARCHAR(10) NOT NULL DEFAULT 'waiting',
    "overflowed" BOOLEAN NOT NULL DEFAULT false,
    "version" INTEGER NOT NULL DEFAULT 1,
    "calls" INTEGER NOT NULL DEFAULT 0,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "calling_until" TIMESTAMPTZ(6),
    "started_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(6),
    "reason" TEXT,

    CONSTRAINT "outgoing_call_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "outgoing_attempt" (
    "id" BIGSERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "bot_id" INTEGER NOT NULL,
    "webhook_id" VARCHAR(40) NOT NULL,
    "message_id" BIGINT NOT NULL,
    "attempt" INTEGER NOT NULL,
    "attempted_at" TIMESTAMPTZ(6) NOT NULL,
    "status" INTEGER,
    "error" TEXT,
    "duration_ms" INTEGER NOT NULL,
    "outcome" VARCHAR(10) NOT NULL,
    "response_head" TEXT NOT NULL,

    CONSTRAINT "outgoing_attempt_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "outgoing_origin" (
    "realm_id" INTEGER NOT NULL,
    "origin" VARCHAR(2048) NOT NULL,
    "failures" INTEGER NOT NULL,
    "pauses" INTEGER NOT NULL DEFAULT 0,
    "open_until" TIMESTAMPTZ(6),

    CONSTRAINT "outgoing_origin_pkey" PRIMARY KEY ("realm_id","origin")
);

CREATE TABLE "outgoing_slot" (
    "id" BIGSERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "origin" VARCHAR(2048) NOT NULL,
    "until" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "outgoing_slot_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "outgoing_call_webhook_id_key" ON "outgoing_call"("webhook_id");
CREATE UNIQUE INDEX "outgoing_call_message_id_bot_id_key" ON "outgoing_call"("message_id", "bot_id");
CREATE INDEX "outgoing_attempt_bot_id_id_idx" ON "outgoing_attempt"("bot_id", "id");
CREATE INDEX "outgoing_attempt_attempted_at_idx" ON "outgoing_attempt"("attempted_at");
CREATE INDEX "outgoing_slot_realm_id_origin_idx" ON "outgoing_slot"("realm_id", "origin");

ALTER TABLE "bot_service" ADD CONSTRAINT "bot_service_bot_id_fkey"
    FOREIGN KEY ("bot_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "outgoing_call" ADD CONSTRAINT "outgoing_call_bot_id_fkey"
    FOREIGN KEY ("bot_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- The order of calls in a conversation.
CREATE INDEX "outgoing_call_order" ON "outgoing_call" ("bot_id", "conversation", "message_id") WHERE "state" = 'waiting';
-- The calls of a bot that may be made now.
CREATE INDEX "outgoing_call_ready" ON "outgoing_call" ("bot_id", "next_at", "message_id") WHERE "state" = 'waiting';
-- The count of an organization's waiting calls.
CREATE INDEX "outgoing_call_of_realm" ON "outgoing_call" ("realm_id") WHERE "state" = 'waiting';
-- Calls behind others, which the repair looks through.
CREATE INDEX "outgoing_call_behind" ON "outgoing_call" ("id") WHERE "state" = 'waiting' AND "next_at" = 'infinity';
-- Dead letters, for operators.
CREATE INDEX "outgoing_call_dead" ON "outgoing_call" ("id") WHERE "state" = 'dead';
-- For the deletion of old rows.
CREATE INDEX "outgoing_call_finished" ON "outgoing_call" ("finished_at") WHERE "state" <> 'waiting';

ALTER TABLE "messages" ADD COLUMN "outgoing_call_id" BIGINT;
