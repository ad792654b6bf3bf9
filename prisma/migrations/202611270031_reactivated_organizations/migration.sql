ALTER TABLE "realms" ADD COLUMN "reactivated_at" TIMESTAMPTZ(6);

-- Work of deactivated organizations, which the sweep resumes after the reactivation.
CREATE INDEX "job_intent_suspended_idx" ON "job_intent" (realm_id) WHERE state = 'pending' AND enqueued_at = 'infinity';
