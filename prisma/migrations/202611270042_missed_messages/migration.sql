-- CreateTable
CREATE TABLE "missed_mails" (
    "user_id" INTEGER NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "message_ids" BIGINT[] NOT NULL DEFAULT '{}',
    "more" INTEGER NOT NULL DEFAULT 0,
    "since" TIMESTAMPTZ(6),
    "due_at" TIMESTAMPTZ(6),
    "planned" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "missed_mails_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "missed_mail_places" (
    "realm_id" INTEGER NOT NULL,
    "seq" BIGINT NOT NULL,

    CONSTRAINT "missed_mail_places_pkey" PRIMARY KEY ("realm_id")
);

-- AddForeignKey
ALTER TABLE "missed_mails" ADD CONSTRAINT "missed_mails_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "missed_mail_places" ADD CONSTRAINT "missed_mail_places_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Mails whose time has come, by organization: those of a deactivated one must not hide others.
CREATE INDEX "missed_mails_due_idx" ON "missed_mails" (realm_id, due_at) WHERE due_at IS NOT NULL;

-- The few accounts and subscriptions that want mails about all messages of channels.
CREATE INDEX "users_channel_mails_idx" ON "users" (realm_id, id) WHERE coalesce((settings->>'enable_stream_email_notifications')::boolean, false);
CREATE INDEX "subscriptions_mails_idx" ON "subscriptions" (channel_id, user_id) WHERE active AND email_notifications;

-- Messages that were sent before are not mailed.
INSERT INTO "missed_mail_places" (realm_id, seq) SELECT realm_id, seq FROM "event_head" ON CONFLICT DO NOTHING;
