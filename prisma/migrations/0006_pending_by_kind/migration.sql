-- What is pending is of one kind: reminders are not sent by the delivery. The condition is that of
-- packages/db/src/pending.ts, which every statement has.
DROP INDEX "scheduled_messages_due_idx";
DROP INDEX "scheduled_messages_unalarmed_idx";
DROP INDEX "scheduled_messages_pending_idx";
-- Claim and sweep; delivered rows pile up, so they are left out.
CREATE INDEX "scheduled_messages_due_idx" ON "scheduled_messages" (realm_id, deliver_at, id)
  WHERE NOT delivered AND kind = 1 AND NOT failed;
-- Relay: pending rows without an alarm.
CREATE INDEX "scheduled_messages_unalarmed_idx" ON "scheduled_messages" (deliver_at)
  WHERE alarmed_at IS NULL AND NOT delivered AND kind = 1 AND NOT failed;
-- The sweep and the gauges look across organizations.
CREATE INDEX "scheduled_messages_pending_idx" ON "scheduled_messages" (deliver_at)
  WHERE NOT delivered AND kind = 1 AND NOT failed;
