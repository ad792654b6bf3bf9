-- Conditions of scheduled messages, and the check-ins that some of them wait for.
ALTER TABLE "scheduled_messages" ADD COLUMN "checked_in_by" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
  ADD COLUMN "last_check_in" TIMESTAMPTZ(6),
  ADD COLUMN "messages_before" BIGINT,
  ADD COLUMN "unless" JSONB;

-- What the build of a process knows of that the release before does not.
ALTER TABLE "process_heartbeats" ADD COLUMN "features" TEXT[] DEFAULT ARRAY[]::TEXT[];
