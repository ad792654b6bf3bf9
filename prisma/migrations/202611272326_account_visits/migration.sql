-- The last request of each person. People who have been away for AWAY_AFTER_DAYS get no copies of most channel messages.
CREATE TABLE "account_visits" (
    "user_id" INTEGER NOT NULL,
    "visited_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_visits_pkey" PRIMARY KEY ("user_id")
);

-- A person counts as away once this build has run for AWAY_AFTER_DAYS.
INSERT INTO "account_visits" ("user_id") SELECT "id" FROM "users" WHERE NOT "is_bot";

-- After the rows exist, because it blocks changes of accounts until this transaction ends.
ALTER TABLE "account_visits" ADD CONSTRAINT "account_visits_user_id_fkey"
    FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
