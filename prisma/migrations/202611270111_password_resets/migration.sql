-- Password resets, and tickets of the login page (people.md §4).
CREATE TABLE "reset_requests" (
    "id" BIGSERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "email" VARCHAR(254) NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "reset_requests_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "password_resets" (
    "id" BIGSERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "email" VARCHAR(254) NOT NULL,
    "key_sealed" BYTEA NOT NULL,
    "key_digest" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(6),

    CONSTRAINT "password_resets_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "login_tickets" (
    "id" BIGSERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "ticket_digest" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "login_tickets_pkey" PRIMARY KEY ("id")
);

-- For the sweep.
CREATE INDEX "reset_requests_created_at_idx" ON "reset_requests"("created_at");
CREATE UNIQUE INDEX "password_resets_key_digest_key" ON "password_resets"("key_digest");
CREATE INDEX "password_resets_user_id_idx" ON "password_resets"("user_id");
CREATE INDEX "password_resets_created_at_idx" ON "password_resets"("created_at");
CREATE UNIQUE INDEX "login_tickets_ticket_digest_key" ON "login_tickets"("ticket_digest");
CREATE INDEX "login_tickets_user_id_idx" ON "login_tickets"("user_id");
CREATE INDEX "login_tickets_created_at_idx" ON "login_tickets"("created_at");

ALTER TABLE "password_resets" ADD CONSTRAINT "password_resets_user_id_fkey"
    FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "login_tickets" ADD CONSTRAINT "login_tickets_user_id_fkey"
    FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
