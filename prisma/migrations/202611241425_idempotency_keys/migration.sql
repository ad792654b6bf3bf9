-- What requests with an Idempotency-Key were answered. Backups have the rows: a repeat after a restore is recognized.
CREATE TABLE "idempotency_keys" (
    "id" UUID NOT NULL,
    "account_id" INTEGER NOT NULL,
    "fingerprint" BYTEA NOT NULL,
    "answer" JSON NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("id")
);

-- Finds the rows older than 24 hours. Rows are appended in the order of time, so that a B-tree, a hundred times as large,
-- would find them no faster.
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys" USING BRIN ("created_at");

ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_account_id_fkey" FOREIGN KEY ("account_id")
  REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
