-- Sign-in at an identity provider (people.md §5).
ALTER TABLE "realms" ADD COLUMN "oidc_auth_enabled" BOOLEAN NOT NULL DEFAULT true;

CREATE TABLE "account_links" (
    "id" BIGSERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "issuer" VARCHAR(500) NOT NULL,
    "subject" VARCHAR(255) NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_links_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "sso_attempts" (
    "id" BIGSERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "state_digest" BYTEA NOT NULL,
    "browser_digest" BYTEA NOT NULL,
    "sealed" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sso_attempts_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "account_links_realm_id_issuer_subject_key" ON "account_links"("realm_id", "issuer", "subject");

CREATE UNIQUE INDEX "account_links_user_id_issuer_key" ON "account_links"("user_id", "issuer");

CREATE UNIQUE INDEX "sso_attempts_state_digest_key" ON "sso_attempts"("state_digest");

-- Finds expired attempts.
CREATE INDEX "sso_attempts_created_at_idx" ON "sso_attempts"("created_at");

ALTER TABLE "account_links" ADD CONSTRAINT "account_links_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
