-- Deliveries as they were: a row a batch, written with its commit, until it is folded into the history.
CREATE TABLE "delivery_batches" (
    "id" BIGSERIAL NOT NULL,
    "backend" VARCHAR(10) NOT NULL,
    "ended_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),
    "due_at" DOUBLE PRECISION[],
    "failed" INTEGER NOT NULL,

    CONSTRAINT "delivery_batches_pkey" PRIMARY KEY ("id")
);

-- What was sent and not sent, and how late, by steps of time: a bounded number of rows.
CREATE TABLE "delivery_history" (
    "step" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL,
    "backend" VARCHAR(10) NOT NULL,
    "sent" INTEGER NOT NULL,
    "failed" INTEGER NOT NULL,
    "worst" DOUBLE PRECISION NOT NULL,
    "buckets" INTEGER[],

    CONSTRAINT "delivery_history_pkey" PRIMARY KEY ("step","at","backend")
);

-- The way of a message: which request scheduled it, when it was sent or failed, and which worker did that.
ALTER TABLE "scheduled_messages" ADD COLUMN "ended_at" TIMESTAMPTZ(6),
ADD COLUMN "ended_by" VARCHAR(100),
ADD COLUMN "request_id" VARCHAR(100);

-- An address in any organization, for the dashboard.
CREATE INDEX "users_lower_delivery_email_idx" ON "users" (lower(delivery_email));
CREATE INDEX "users_lower_email_idx" ON "users" (lower(email));
