-- Clearing: the oldest of what was done; without it each clearing would read the whole table.
CREATE INDEX "job_intent_done_idx" ON "job_intent" (finished_at) WHERE state = 'done';
