-- Messages that senders have bound to keys, so that later requests with the key edit them.
CREATE TABLE "message_upserts" (
    "sender_id" INTEGER NOT NULL,
    "recipient_id" INTEGER NOT NULL,
    "key" VARCHAR(200) NOT NULL,
    "message_id" BIGINT NOT NULL,
    "version" BIGINT,
    "used_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "message_upserts_pkey" PRIMARY KEY ("sender_id","recipient_id","key")
);

-- The longest unused ones of a sender.
CREATE INDEX "message_upserts_sender_id_used_at_idx" ON "message_upserts"("sender_id", "used_at");
-- Channels that are deleted.
CREATE INDEX "message_upserts_recipient_id_idx" ON "message_upserts"("recipient_id");
-- Those that nobody has used for 30 days.
CREATE INDEX "message_upserts_used_at_idx" ON "message_upserts"("used_at");

ALTER TABLE "message_upserts" ADD CONSTRAINT "message_upserts_sender_id_fkey" FOREIGN KEY ("sender_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "message_upserts" ADD CONSTRAINT "message_upserts_recipient_id_fkey" FOREIGN KEY ("recipient_id") REFERENCES "recipients"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
