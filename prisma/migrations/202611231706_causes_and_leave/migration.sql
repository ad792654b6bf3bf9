-- Why in a word, and which operator has acknowledged the failure: the dashboard's verdict and the alerts count the others.
ALTER TABLE "delivery_failures" ADD COLUMN "cause" VARCHAR(60);
ALTER TABLE "delivery_failures" ADD COLUMN "acknowledged_at" TIMESTAMPTZ(6);
ALTER TABLE "delivery_failures" ADD COLUMN "acknowledged_by" VARCHAR(100);

-- Since when a process has been stopping because it was told to: its silence afterwards is no loss.
ALTER TABLE "process_heartbeats" ADD COLUMN "stopping_since" TIMESTAMPTZ(6);
