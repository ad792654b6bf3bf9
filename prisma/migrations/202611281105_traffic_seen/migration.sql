-- An import stores messages with old times, so a time no longer tells that messages with lower ids are committed.
ALTER TABLE "traffic_place" ADD COLUMN "seen_id" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "seen_at" TIMESTAMPTZ(6);
