CREATE TABLE "address_changes" (
    "id" BIGSERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "old_address" VARCHAR(254) NOT NULL,
    "new_address" VARCHAR(254) NOT NULL,
    "token_sealed" BYTEA NOT NULL,
    "token_digest" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "address_changes_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "address_changes_user_id_key" ON "address_changes"("user_id");
CREATE UNIQUE INDEX "address_changes_token_digest_key" ON "address_changes"("token_digest");
ALTER TABLE "address_changes" ADD CONSTRAINT "address_changes_user_id_fkey"
  FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
