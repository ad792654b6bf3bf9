-- Each organization that there is gets a uuid of its own: the default is worked out for each row.
ALTER TABLE "realms" ADD COLUMN "uuid" UUID NOT NULL DEFAULT gen_random_uuid(),
  ADD COLUMN "push_notifications_enabled" BOOLEAN NOT NULL DEFAULT true,
  ADD COLUMN "push_notifications_enabled_end_timestamp" TIMESTAMPTZ(6);
CREATE UNIQUE INDEX "realms_uuid_key" ON "realms"("uuid");

CREATE TABLE "client_devices" (
    "id" BIGSERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "push_key" BYTEA,
    "push_key_id" BIGINT,
    "push_token_id" BYTEA,
    "push_token_kind" VARCHAR(4),
    "pending_push_token_id" BYTEA,
    "pending_push_token_kind" VARCHAR(4),
    "push_token_last_updated" TIMESTAMPTZ(6),
    "push_registration_error_code" VARCHAR(60),

    CONSTRAINT "client_devices_pkey" PRIMARY KEY ("id")
);
CREATE TABLE "push_registrations" (
    "id" BIGSERIAL NOT NULL,
    "device_id" BIGINT NOT NULL,
    "bouncer_public_key" TEXT NOT NULL,
    "encrypted_registration" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "push_registrations_pkey" PRIMARY KEY ("id")
);
CREATE TABLE "legacy_push_tokens" (
    "id" BIGSERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "kind" VARCHAR(4) NOT NULL,
    "token" VARCHAR(4096) NOT NULL,
    "token_digest" BYTEA NOT NULL,
    "ios_app_id" TEXT,

    CONSTRAINT "legacy_push_tokens_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "client_devices_user_id_idx" ON "client_devices"("user_id");
CREATE UNIQUE INDEX "push_registrations_device_id_key" ON "push_registrations"("device_id");
CREATE UNIQUE INDEX "legacy_push_tokens_user_id_kind_token_digest_key"
  ON "legacy_push_tokens"("user_id", "kind", "token_digest");
ALTER TABLE "client_devices" ADD CONSTRAINT "client_devices_user_id_fkey"
  FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "push_registrations" ADD CONSTRAINT "push_registrations_device_id_fkey"
  FOREIGN KEY ("device_id") REFERENCES "client_devices"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "legacy_push_tokens" ADD CONSTRAINT "legacy_push_tokens_user_id_fkey"
  FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

ALTER TABLE "client_devices"
  ADD CONSTRAINT "client_devices_push_key_check" CHECK (octet_length(push_key) = 33),
  ADD CONSTRAINT "client_devices_push_key_id_check" CHECK (push_key_id BETWEEN 0 AND 4294967295),
  ADD CONSTRAINT "client_devices_key_whole_check" CHECK ((push_key IS NULL) = (push_key_id IS NULL)),
  ADD CONSTRAINT "client_devices_push_token_id_check" CHECK (octet_length(push_token_id) = 8),
  ADD CONSTRAINT "client_devices_pending_push_token_id_check" CHECK (octet_length(pending_push_token_id) = 8),
  ADD CONSTRAINT "client_devices_push_token_kind_check" CHECK (push_token_kind IN ('fcm', 'apns')),
  ADD CONSTRAINT "client_devices_pending_push_token_kind_check" CHECK (pending_push_token_kind IN ('fcm', 'apns')),
  -- An active token without a key or a kind could not be sent to; what pends must become such a one.
  ADD CONSTRAINT "client_devices_active_check"
    CHECK (push_token_id IS NULL OR (push_key IS NOT NULL AND push_token_kind IS NOT NULL)),
  ADD CONSTRAINT "client_devices_pending_check"
    CHECK (pending_push_token_id IS NULL OR (push_key IS NOT NULL AND pending_push_token_kind IS NOT NULL));
ALTER TABLE "legacy_push_tokens"
  ADD CONSTRAINT "legacy_push_tokens_kind_check" CHECK (kind IN ('fcm', 'apns'));

-- Whom a message is pushed to: the devices of many accounts that can be reached.
CREATE INDEX "client_devices_active_idx" ON "client_devices" (user_id, push_token_id) WHERE push_token_id IS NOT NULL;

-- What is to be taken off somebody's phones when it is read or goes: a few copies of all. Bit 512 of the flags says that
-- the message was pushed (model, messages/flags). Messages cannot be sent while the index is made.
CREATE INDEX "user_messages_pushed_idx" ON "user_messages" (user_id, message_id) WHERE flags & 512 <> 0;
