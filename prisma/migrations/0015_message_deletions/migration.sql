-- CreateTable
CREATE TABLE "message_deletion_jobs" (
    "id" BIGSERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "acting_user_id" INTEGER NOT NULL,
    "public_channel_messages" BOOLEAN NOT NULL,
    "private_channel_messages" BOOLEAN NOT NULL,
    "direct_messages" BOOLEAN NOT NULL,
    "max_message_id" BIGINT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(6),

    CONSTRAINT "message_deletion_jobs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "message_deletion_steps" (
    "job_id" BIGINT NOT NULL,
    "step" INTEGER NOT NULL,
    "channel_id" INTEGER,
    "recipient_ids" INTEGER[],
    "from_id" BIGINT NOT NULL,
    "to_id" BIGINT NOT NULL,
    "cursor_recipient" INTEGER NOT NULL DEFAULT 0,
    "cursor" BIGINT NOT NULL DEFAULT 0,
    "planned" INTEGER NOT NULL,
    "deleted" INTEGER NOT NULL DEFAULT 0,
    "removal_id" BIGINT,
    "jobs" INTEGER NOT NULL DEFAULT 0,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "last_error" TEXT,
    "failed_at" TIMESTAMPTZ(6),
    "finished_at" TIMESTAMPTZ(6),

    CONSTRAINT "message_deletion_steps_pkey" PRIMARY KEY ("job_id","step")
);

-- AddForeignKey
ALTER TABLE "message_deletion_jobs" ADD CONSTRAINT "message_deletion_jobs_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "message_deletion_steps" ADD CONSTRAINT "message_deletion_steps_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "message_deletion_jobs"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- One deletion an account and time: what is asked for meanwhile joins it.
CREATE UNIQUE INDEX "message_deletion_jobs_unfinished_idx" ON "message_deletion_jobs" (user_id)
  WHERE finished_at IS NULL;
