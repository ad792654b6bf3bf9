-- outside a transaction
-- Archived messages whose previews the worker rewrites (files.md §5). No row has an image before.
DROP INDEX CONCURRENTLY IF EXISTS "archived_messages_with_image_idx";
CREATE INDEX CONCURRENTLY "archived_messages_with_image_idx" ON "archived_messages" (id) WHERE has_image;
