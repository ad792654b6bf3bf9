-- Settings of organizations (users.md §5) and the domains of their addresses.
ALTER TABLE "realms"
  ADD COLUMN "allow_message_editing" BOOLEAN NOT NULL DEFAULT true,
  ADD COLUMN "message_content_edit_limit_seconds" INTEGER DEFAULT 600,
  ADD COLUMN "message_content_delete_limit_seconds" INTEGER DEFAULT 600,
  ADD COLUMN "move_messages_within_stream_limit_seconds" INTEGER DEFAULT 604800,
  ADD COLUMN "move_messages_between_streams_limit_seconds" INTEGER DEFAULT 604800,
  ADD COLUMN "invite_required" BOOLEAN NOT NULL DEFAULT true,
  ADD COLUMN "emails_restricted_to_domains" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "disallow_disposable_email_addresses" BOOLEAN NOT NULL DEFAULT true,
  ADD COLUMN "dev_auth_enabled" BOOLEAN NOT NULL DEFAULT true,
  ADD COLUMN "signup_announcements_channel_id" INTEGER CONSTRAINT "realms_signup_announcements_channel_id_fkey"
    REFERENCES "channels"("id") ON DELETE SET NULL ON UPDATE NO ACTION,
  ADD COLUMN "zulip_update_announcements_channel_id" INTEGER CONSTRAINT "realms_zulip_update_announcements_channel_id_fkey"
    REFERENCES "channels"("id") ON DELETE SET NULL ON UPDATE NO ACTION,
  ADD COLUMN "moderation_request_channel_id" INTEGER CONSTRAINT "realms_moderation_request_channel_id_fkey"
    REFERENCES "channels"("id") ON DELETE SET NULL ON UPDATE NO ACTION,
  ADD COLUMN "welcome_message_custom_text" VARCHAR(8000) NOT NULL DEFAULT '',
  ADD COLUMN "require_e2ee_push_notifications" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "message_content_allowed_in_email_notifications" BOOLEAN NOT NULL DEFAULT true,
  ADD COLUMN "default_code_block_language" VARCHAR(60) NOT NULL DEFAULT '',
  ADD COLUMN "digest_emails_enabled" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "digest_weekday" INTEGER NOT NULL DEFAULT 1,
  ADD COLUMN "enable_guest_user_indicator" BOOLEAN NOT NULL DEFAULT true,
  ADD COLUMN "enable_guest_user_dm_warning" BOOLEAN NOT NULL DEFAULT true,
  ADD COLUMN "send_welcome_emails" BOOLEAN NOT NULL DEFAULT true,
  ADD COLUMN "inline_image_preview" BOOLEAN NOT NULL DEFAULT true,
  ADD COLUMN "inline_url_embed_preview" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "org_type" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "video_chat_provider" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "jitsi_server_url" VARCHAR(200),
  ADD COLUMN "gif_rating_policy" INTEGER NOT NULL DEFAULT 2,
  ADD COLUMN "media_preview_size" INTEGER NOT NULL DEFAULT 100,
  ADD COLUMN "default_avatar_source" VARCHAR(1) NOT NULL DEFAULT 'G';

CREATE TABLE "realm_domains" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "domain" VARCHAR(253) NOT NULL,
    "allow_subdomains" BOOLEAN NOT NULL,

    CONSTRAINT "realm_domains_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "realm_domains_realm_id_domain_key" ON "realm_domains"("realm_id", "domain");

ALTER TABLE "realm_domains" ADD CONSTRAINT "realm_domains_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
