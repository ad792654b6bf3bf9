-- The version for which another server may have been called: a repeat must go out under the same idempotency key.
ALTER TABLE "job_intent" ADD COLUMN "called_version" INTEGER;
