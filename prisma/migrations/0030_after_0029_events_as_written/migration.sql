-- Events are kept as the text that they were written as, and handed out as text: taking each apart into JSONB and putting
-- it together again for every gateway that reads it was a tenth of what a burst of messages costs PostgreSQL. The log,
-- which holds what clients have still to hear of, is written anew, about a second for 100,000 events; nobody reads it or
-- writes to it meanwhile. The build before goes on to work: it writes JSONB, which PostgreSQL casts, and reads text.
ALTER TABLE "event_log" ALTER COLUMN "payload" SET DATA TYPE JSON;
