-- As in "messages", for messages that are restored.
ALTER TABLE "archived_messages" ADD COLUMN "changed_channel" BOOLEAN NOT NULL DEFAULT false;
