-- Searching. What a message is found by is made of words that Carillon takes from it, and was made by PostgreSQL's parser
-- before, which took typographic quotes for letters under the locale C. Both columns are changed without touching a row;
-- two indexes read the table once. The words of older messages come after the start: the recurring work index-messages
-- writes them, the newest first.
ALTER TABLE "messages" DROP COLUMN "search";
ALTER TABLE "messages" ADD COLUMN "search" tsvector;

-- Searching. Entries are made at once: a list of those to come would be read by every search.
CREATE INDEX "messages_search_idx" ON "messages" USING gin (search) WITH (fastupdate = off)
  WHERE search IS NOT NULL;
-- The recurring work index-messages: what it has to do.
CREATE INDEX "messages_without_words_idx" ON "messages" (id) WHERE search IS NULL;
