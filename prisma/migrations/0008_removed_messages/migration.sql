-- CreateTable
CREATE TABLE "message_removals" (
    "id" BIGSERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "channel_id" INTEGER,
    "cause" VARCHAR(16) NOT NULL,
    "actor_id" INTEGER,
    "began_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "message_removals_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "archived_messages" (
    "removal_id" BIGINT NOT NULL,
    "id" BIGINT NOT NULL,
    "scheduled_message_id" BIGINT,
    "realm_id" INTEGER NOT NULL,
    "sender_id" INTEGER NOT NULL,
    "recipient_id" INTEGER NOT NULL,
    "is_channel" BOOLEAN NOT NULL,
    "topic" VARCHAR(60) NOT NULL,
    "content" TEXT NOT NULL,
    "rendered_content" TEXT NOT NULL,
    "render_version" SMALLINT NOT NULL,
    "sent_at" TIMESTAMPTZ(6) NOT NULL,
    "client_id" INTEGER NOT NULL,
    "edit_history" JSONB,
    "last_edit_at" TIMESTAMPTZ(6),
    "has_link" BOOLEAN NOT NULL,
    "has_image" BOOLEAN NOT NULL,
    "has_attachment" BOOLEAN NOT NULL,
    "holder_ids" INTEGER[],
    "holder_flags" INTEGER[],

    -- Purging and restoring go by run; nothing looks for a single message here.
    CONSTRAINT "archived_messages_pkey" PRIMARY KEY ("removal_id","id")
);

-- CreateIndex
CREATE INDEX "message_removals_channel_id_idx" ON "message_removals"("channel_id");

-- CreateIndex
CREATE INDEX "message_removals_ended_at_idx" ON "message_removals"("ended_at");

-- AddForeignKey
ALTER TABLE "message_removals" ADD CONSTRAINT "message_removals_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "message_removals" ADD CONSTRAINT "message_removals_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

ALTER TABLE "archived_messages"
  ADD CONSTRAINT "archived_messages_holders_check" CHECK (cardinality(holder_ids) = cardinality(holder_flags));

-- Removing a message: those who have a copy of it without ever having been subscribed to its channel. Bit 128 of the
-- flags is `historical` (model, messages/flags); rows with it are few, so that sending does not pay for it.
CREATE INDEX "user_messages_historical_idx" ON "user_messages" (message_id) WHERE flags & 128 <> 0;
