-- How far the clock of each process is ahead of the database's, in seconds; null until its second heartbeat.
ALTER TABLE "process_heartbeats" ADD COLUMN "clock_ahead" DOUBLE PRECISION;
