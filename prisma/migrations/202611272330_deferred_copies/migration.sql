-- People who are away: their copies of channel messages are made when they come back.
ALTER TABLE "subscriptions" ADD COLUMN "deferred_after" BIGINT,
    ADD COLUMN "deferred_until" BIGINT,
    ADD COLUMN "deferred_read" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "messages" ADD COLUMN "changed_channel" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "archived_messages" ADD COLUMN "changed_channel" BOOLEAN NOT NULL DEFAULT false;

CREATE TABLE "account_visits" (
    "user_id" INTEGER NOT NULL,
    "visited_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_visits_pkey" PRIMARY KEY ("user_id")
);

ALTER TABLE "account_visits" ADD CONSTRAINT "account_visits_user_id_fkey"
    FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Nobody counts as away until this build has run for as long as AWAY_AFTER_DAYS says.
INSERT INTO "account_visits" ("user_id") SELECT "id" FROM "users" WHERE NOT "is_bot";
