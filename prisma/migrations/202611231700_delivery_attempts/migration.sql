-- How often the delivery of a row was begun carefully, noted before each try in a commit of its own: a try that kills
-- its worker counts too. From the third on the row goes alone, and not before `retry_at`.
ALTER TABLE "scheduled_messages" ADD COLUMN "attempts" SMALLINT NOT NULL DEFAULT 0;
ALTER TABLE "scheduled_messages" ADD COLUMN "retry_at" TIMESTAMPTZ(6);

-- Rows that go alone: nearly always there are none.
CREATE INDEX "scheduled_messages_alone_idx" ON "scheduled_messages" (realm_id, retry_at)
  WHERE attempts >= 3 AND NOT delivered AND NOT failed;
