-- AlterTable
ALTER TABLE "realms" ADD COLUMN     "enable_read_receipts" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "message_edit_history_visibility_policy" VARCHAR(8) NOT NULL DEFAULT 'all';

ALTER TABLE "realms" ADD CONSTRAINT "realms_edit_history_policy_check"
  CHECK (message_edit_history_visibility_policy IN ('all', 'moves', 'none'));
