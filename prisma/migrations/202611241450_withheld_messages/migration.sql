-- Scheduled messages that were not sent because one of their conditions held.
CREATE TABLE "withheld_messages" (
    "scheduled_message_id" BIGINT NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "sender_id" INTEGER NOT NULL,
    "recipient_id" INTEGER NOT NULL,
    "channel_id" INTEGER,
    "topic" VARCHAR(60) NOT NULL,
    "content" TEXT NOT NULL,
    "deliver_at" TIMESTAMPTZ(6) NOT NULL,
    "withheld_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "condition" JSONB NOT NULL,
    "message_id" BIGINT,

    CONSTRAINT "withheld_messages_pkey" PRIMARY KEY ("scheduled_message_id")
);

-- The list of an account.
CREATE INDEX "withheld_messages_sender_id_withheld_at_idx" ON "withheld_messages"("sender_id", "withheld_at");
-- Those of more than 30 days.
CREATE INDEX "withheld_messages_withheld_at_idx" ON "withheld_messages"("withheld_at");

ALTER TABLE "withheld_messages" ADD CONSTRAINT "withheld_messages_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "withheld_messages" ADD CONSTRAINT "withheld_messages_sender_id_fkey" FOREIGN KEY ("sender_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "withheld_messages" ADD CONSTRAINT "withheld_messages_recipient_id_fkey" FOREIGN KEY ("recipient_id") REFERENCES "recipients"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "withheld_messages" ADD CONSTRAINT "withheld_messages_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
