-- Reminders are sent by the delivery too, so that what is pending is of both kinds. The condition is that of
-- packages/db/src/pending.ts, which every statement has.
DROP INDEX "scheduled_messages_due_idx";
DROP INDEX "scheduled_messages_unalarmed_idx";
DROP INDEX "scheduled_messages_pending_idx";
-- Claim and sweep; delivered rows pile up, so they are left out.
CREATE INDEX "scheduled_messages_due_idx" ON "scheduled_messages" (realm_id, deliver_at, id)
  WHERE NOT delivered AND NOT failed;
-- Relay: pending rows without an alarm.
CREATE INDEX "scheduled_messages_unalarmed_idx" ON "scheduled_messages" (deliver_at)
  WHERE alarmed_at IS NULL AND NOT delivered AND NOT failed;
-- The sweep and the gauges look across organizations; the gauges count each kind, from the index alone.
CREATE INDEX "scheduled_messages_pending_idx" ON "scheduled_messages" (deliver_at) INCLUDE (kind)
  WHERE NOT delivered AND NOT failed;

-- A kind that no delivery knows would be pending for ever. A reminder goes to its account, in no channel.
ALTER TABLE "scheduled_messages"
  DROP CONSTRAINT "scheduled_messages_kind_check",
  ADD CONSTRAINT "scheduled_messages_kind_check" CHECK (
    kind = 1 OR kind = 2 AND reminder_target_message_id IS NOT NULL AND channel_id IS NULL);
