-- Scheduled messages and reminders that could not be sent, one row a failure: the row of the message itself goes on to
-- be given a new time, or is deleted, and tells nothing of it any more.
CREATE TABLE "delivery_failures" (
    "id" BIGSERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "scheduled_message_id" BIGINT NOT NULL,
    "version" INTEGER NOT NULL,
    "kind" SMALLINT NOT NULL,
    "sender_id" INTEGER NOT NULL,
    "channel_id" INTEGER,
    "due_at" TIMESTAMPTZ(6) NOT NULL,
    "failed_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "reason" TEXT NOT NULL,
    "notice_id" BIGINT,
    "process" VARCHAR(100) NOT NULL,

    CONSTRAINT "delivery_failures_pkey" PRIMARY KEY ("id")
);

ALTER TABLE "delivery_failures" ADD CONSTRAINT "delivery_failures_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- What became of one message.
CREATE INDEX "delivery_failures_scheduled_message_id_idx" ON "delivery_failures"("scheduled_message_id");

-- The dashboard's list, the latest first, whole and by each of its filters; clearing takes the oldest of the first.
CREATE INDEX "delivery_failures_failed_at_id_idx" ON "delivery_failures"("failed_at", "id");
CREATE INDEX "delivery_failures_realm_id_failed_at_id_idx" ON "delivery_failures"("realm_id", "failed_at", "id");
CREATE INDEX "delivery_failures_sender_id_failed_at_id_idx" ON "delivery_failures"("sender_id", "failed_at", "id");
CREATE INDEX "delivery_failures_channel_id_failed_at_id_idx" ON "delivery_failures"("channel_id", "failed_at", "id");
-- By its digest: a reason has no bound of its own, and an entry of an index has one.
CREATE INDEX "delivery_failures_reason_idx" ON "delivery_failures" (md5(reason), failed_at, id);

-- What has failed lately. When it did was not kept: at its time at the earliest.
INSERT INTO "delivery_failures"
  (realm_id, scheduled_message_id, version, kind, sender_id, channel_id, due_at, failed_at, reason, process)
SELECT realm_id, id, version, kind, sender_id, channel_id, deliver_at, deliver_at,
  coalesce(failure_message, 'Something went wrong on the server.'), ''
FROM scheduled_messages WHERE failed AND NOT delivered AND deliver_at > now() - interval '30 days';
