-- The third system bot of the organizations that exist: like the notification bot, with an address of its own. No key has
-- its digest, so nobody can log in as it; its sealed key is one that can be opened.
INSERT INTO "users" ("realm_id", "delivery_email", "email", "full_name", "role", "is_bot", "bot_type", "system_bot_kind",
    "api_key_sealed", "api_key_digest")
  SELECT n."realm_id", a."address", a."address", 'Scheduling Bot', n."role", true, n."bot_type", 'scheduling',
    n."api_key_sealed", sha256(gen_random_uuid()::text::bytea)
  FROM "users" n
  -- An account may have the address already.
  CROSS JOIN LATERAL (
    SELECT prefix || substr(n."delivery_email", strpos(n."delivery_email", '@')) AS "address"
    FROM unnest(ARRAY['scheduling-bot', 'scheduling-bot-' || n."id"]) WITH ORDINALITY AS p (prefix, place)
    WHERE NOT EXISTS (
      SELECT FROM "users" u WHERE u."realm_id" = n."realm_id"
        AND lower(u."delivery_email") = lower(prefix || substr(n."delivery_email", strpos(n."delivery_email", '@')))
    )
    ORDER BY place LIMIT 1
  ) a
  WHERE n."system_bot_kind" = 'notification';

-- CreateTable
CREATE TABLE "scheduling_bot_questions" (
    "user_id" INTEGER NOT NULL,
    "message_id" BIGINT NOT NULL,
    "content" TEXT NOT NULL,
    "choices" JSONB NOT NULL,
    "asked_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "scheduling_bot_questions_pkey" PRIMARY KEY ("user_id")
);

-- AddForeignKey
ALTER TABLE "scheduling_bot_questions" ADD CONSTRAINT "scheduling_bot_questions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Finds the commands of one person that are not answered, in their order.
CREATE INDEX "job_intent_bot_commands_idx" ON "job_intent" (((payload ->> 'userId')::int), "id")
  WHERE "job" = 'bot-command' AND "state" = 'pending';
