-- Messages with a calendar rule, planned one occurrence ahead: the next occurrence is a row of scheduled_messages.
CREATE TABLE "message_series" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "author_id" INTEGER NOT NULL,
    "recipient_id" INTEGER NOT NULL,
    "channel_id" INTEGER,
    "topic" VARCHAR(60) NOT NULL DEFAULT '',
    "content" TEXT NOT NULL,
    "client_id" INTEGER NOT NULL,
    "read_by_sender" BOOLEAN NOT NULL,
    "start" VARCHAR(19) NOT NULL,
    "timezone" VARCHAR(100) NOT NULL,
    "rrule" VARCHAR(300) NOT NULL,
    "excluded_dates" TEXT[],
    "template" BOOLEAN NOT NULL DEFAULT false,
    "unless" JSONB,
    "catch_up_seconds" INTEGER NOT NULL DEFAULT 600,
    "can_manage_group_id" INTEGER NOT NULL,
    "state" VARCHAR(10) NOT NULL DEFAULT 'active',
    "paused_reason" VARCHAR(20),
    "last_occurrence" DATE,
    "sent_count" INTEGER NOT NULL DEFAULT 0,
    "consecutive_failures" INTEGER NOT NULL DEFAULT 0,
    "managers_told" BOOLEAN NOT NULL DEFAULT false,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "message_series_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "series_runs" (
    "series_id" INTEGER NOT NULL,
    "occurrence" DATE NOT NULL,
    "outcome" VARCHAR(10) NOT NULL,
    "message_id" BIGINT,
    "reason" TEXT,
    "ended_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "series_runs_pkey" PRIMARY KEY ("series_id","occurrence")
);

ALTER TABLE "scheduled_messages" ADD COLUMN "series_id" INTEGER,
ADD COLUMN "occurrence" DATE,
ADD COLUMN "local_time" VARCHAR(19),
ADD COLUMN "tzdata" VARCHAR(20),
ADD COLUMN "detached" BOOLEAN NOT NULL DEFAULT false;

ALTER TABLE "message_series" ADD CONSTRAINT "message_series_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "message_series" ADD CONSTRAINT "message_series_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "message_series" ADD CONSTRAINT "message_series_recipient_id_fkey" FOREIGN KEY ("recipient_id") REFERENCES "recipients"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "message_series" ADD CONSTRAINT "message_series_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "message_series" ADD CONSTRAINT "message_series_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "clients"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;
ALTER TABLE "message_series" ADD CONSTRAINT "message_series_can_manage_group_id_fkey" FOREIGN KEY ("can_manage_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;
ALTER TABLE "series_runs" ADD CONSTRAINT "series_runs_series_id_fkey" FOREIGN KEY ("series_id") REFERENCES "message_series"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

ALTER TABLE "message_series"
  ADD CONSTRAINT "message_series_state_check" CHECK (state IN ('active', 'paused', 'ended')),
  ADD CONSTRAINT "message_series_reason_check" CHECK ((paused_reason IS NOT NULL) = (state = 'paused')),
  ADD CONSTRAINT "message_series_topic_check" CHECK (channel_id IS NOT NULL OR topic = '');

ALTER TABLE "series_runs"
  ADD CONSTRAINT "series_runs_outcome_check" CHECK (outcome IN ('sent', 'failed', 'withheld', 'skipped', 'missed'));

-- An account's series, and those of a channel for who administers it. The dashboard reads an organization's by state.
CREATE INDEX "message_series_author_idx" ON "message_series" (author_id, id);
CREATE INDEX "message_series_channel_idx" ON "message_series" (channel_id) WHERE channel_id IS NOT NULL;
CREATE INDEX "message_series_managers_idx" ON "message_series" (can_manage_group_id);
CREATE INDEX "message_series_realm_idx" ON "message_series" (realm_id, state, id);

-- The one planned occurrence of each series. There is no foreign key: what was sent or has failed keeps the id of its
-- series when that is deleted, and deleting a series waits for none of them.
CREATE UNIQUE INDEX "scheduled_messages_planned_idx" ON "scheduled_messages" (series_id)
  WHERE series_id IS NOT NULL AND NOT detached AND NOT delivered AND NOT failed;

-- All pending rows of a series, those that were changed by themselves too.
CREATE INDEX "scheduled_messages_series_idx" ON "scheduled_messages" (series_id)
  WHERE series_id IS NOT NULL AND NOT delivered AND NOT failed;
