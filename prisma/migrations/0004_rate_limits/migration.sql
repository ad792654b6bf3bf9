-- What rate limits count (http-contract.md §7), where there is no Redis. Lost with a crash of the database, which is
-- no harm: limits begin anew. Not logged, so that counting costs no write to disk.
CREATE UNLOGGED TABLE "rate_hits" (
    "bucket" TEXT NOT NULL,
    "slice" BIGINT NOT NULL,
    "hits" INTEGER NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "rate_hits_pkey" PRIMARY KEY ("bucket","slice")
);

-- For the clearing away of what counts no more.
CREATE INDEX "rate_hits_expires_at_idx" ON "rate_hits"("expires_at");

-- A row is changed once a second while its slice lasts: in place, without touching the indexes.
ALTER TABLE "rate_hits" SET (fillfactor = 70);
