CREATE TABLE "bouncer_circuit" (
    "id" SMALLINT NOT NULL,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "pauses" INTEGER NOT NULL DEFAULT 0,
    "no_calls_until" TIMESTAMPTZ(6),
    "in_trial" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "bouncer_circuit_pkey" PRIMARY KEY ("id")
);

ALTER TABLE "bouncer_circuit" ADD CONSTRAINT "bouncer_circuit_id_check" CHECK (id = 1);
INSERT INTO "bouncer_circuit" (id) VALUES (1);

-- Registrations that the bouncer has not decided on within a day: of all devices, the few that wait, the oldest first.
CREATE INDEX "client_devices_pending_idx" ON "client_devices" (push_token_last_updated)
  WHERE pending_push_token_id IS NOT NULL AND push_registration_error_code IS NULL;
