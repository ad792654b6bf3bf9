-- CreateTable
CREATE TABLE "realms" (
    "id" SERIAL NOT NULL,
    "subdomain" VARCHAR(40) NOT NULL,
    "name" VARCHAR(40) NOT NULL,
    "description" VARCHAR(1000) NOT NULL DEFAULT '',
    "date_created" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deactivated" BOOLEAN NOT NULL DEFAULT false,
    "topics_policy" VARCHAR(24) NOT NULL DEFAULT 'allow_empty_topic',
    "empty_topic_display_name" VARCHAR(60) NOT NULL DEFAULT 'general chat',
    "default_language" VARCHAR(50) NOT NULL DEFAULT 'en',
    "waiting_period_threshold" INTEGER NOT NULL DEFAULT 0,
    "require_unique_names" BOOLEAN NOT NULL DEFAULT false,
    "name_changes_disabled" BOOLEAN NOT NULL DEFAULT false,
    "email_changes_disabled" BOOLEAN NOT NULL DEFAULT false,
    "password_auth_enabled" BOOLEAN NOT NULL DEFAULT true,
    "enable_spectator_access" BOOLEAN NOT NULL DEFAULT false,
    "send_channel_events_messages" BOOLEAN NOT NULL DEFAULT true,
    "message_retention_days" INTEGER,
    "new_stream_announcements_channel_id" INTEGER,
    "can_manage_all_groups_id" INTEGER NOT NULL,
    "can_create_groups_id" INTEGER NOT NULL,
    "can_create_public_channel_group_id" INTEGER NOT NULL,
    "can_create_private_channel_group_id" INTEGER NOT NULL,
    "can_create_web_public_channel_group_id" INTEGER NOT NULL,
    "can_add_subscribers_group_id" INTEGER NOT NULL,
    "can_delete_any_message_group_id" INTEGER NOT NULL,
    "can_delete_own_message_group_id" INTEGER NOT NULL,
    "can_move_messages_between_channels_group_id" INTEGER NOT NULL,
    "can_move_messages_between_topics_group_id" INTEGER NOT NULL,
    "can_resolve_topics_group_id" INTEGER NOT NULL,
    "can_set_topics_policy_group_id" INTEGER NOT NULL,
    "can_set_delete_message_policy_group_id" INTEGER NOT NULL,
    "can_access_all_users_group_id" INTEGER NOT NULL,
    "can_create_bots_group_id" INTEGER NOT NULL,
    "can_create_write_only_bots_group_id" INTEGER NOT NULL,
    "can_add_custom_emoji_group_id" INTEGER NOT NULL,
    "can_mention_many_users_group_id" INTEGER NOT NULL,
    "can_invite_users_group_id" INTEGER NOT NULL,
    "create_multiuse_invite_group_id" INTEGER NOT NULL,
    "direct_message_initiator_group_id" INTEGER NOT NULL,
    "direct_message_permission_group_id" INTEGER NOT NULL,
    "can_summarize_topics_group_id" INTEGER NOT NULL,

    CONSTRAINT "realms_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "realm_user_defaults" (
    "realm_id" INTEGER NOT NULL,
    "settings" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "realm_user_defaults_pkey" PRIMARY KEY ("realm_id")
);

-- CreateTable
CREATE TABLE "clients" (
    "id" SERIAL NOT NULL,
    "name" VARCHAR(30) NOT NULL,

    CONSTRAINT "clients_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "users" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "delivery_email" VARCHAR(254) NOT NULL,
    "email" VARCHAR(254) NOT NULL,
    "full_name" VARCHAR(100) NOT NULL,
    "role" SMALLINT NOT NULL DEFAULT 400,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "is_bot" BOOLEAN NOT NULL DEFAULT false,
    "bot_type" SMALLINT,
    "bot_owner_id" INTEGER,
    "system_bot_kind" VARCHAR(20),
    "api_key_sealed" BYTEA NOT NULL,
    "api_key_digest" BYTEA NOT NULL,
    "password_hash" TEXT,
    "date_joined" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "timezone" VARCHAR(40) NOT NULL DEFAULT '',
    "avatar_source" VARCHAR(1) NOT NULL DEFAULT 'G',
    "avatar_version" INTEGER NOT NULL DEFAULT 1,
    "can_create_users" BOOLEAN NOT NULL DEFAULT false,
    "can_change_user_emails" BOOLEAN NOT NULL DEFAULT false,
    "is_imported_stub" BOOLEAN NOT NULL DEFAULT false,
    "is_deleted" BOOLEAN NOT NULL DEFAULT false,
    "deactivated_at" TIMESTAMPTZ(6),
    "email_address_visibility" SMALLINT NOT NULL DEFAULT 1,
    "rule_settings" JSONB NOT NULL DEFAULT '{}',
    "settings" JSONB NOT NULL DEFAULT '{}',
    "owner_told_at" TIMESTAMPTZ(6),
    "default_sending_channel_id" INTEGER,
    "default_events_register_channel_id" INTEGER,
    "default_all_public_channels" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user_group" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,

    CONSTRAINT "user_group_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "named_user_group" (
    "id" INTEGER NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "name" VARCHAR(100) NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "is_system_group" BOOLEAN NOT NULL DEFAULT false,
    "deactivated" BOOLEAN NOT NULL DEFAULT false,
    "creator_id" INTEGER,
    "date_created" TIMESTAMPTZ(6),
    "can_add_members_group_id" INTEGER NOT NULL,
    "can_join_group_id" INTEGER NOT NULL,
    "can_leave_group_id" INTEGER NOT NULL,
    "can_manage_group_id" INTEGER NOT NULL,
    "can_mention_group_id" INTEGER NOT NULL,
    "can_remove_members_group_id" INTEGER NOT NULL,

    CONSTRAINT "named_user_group_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user_group_member" (
    "group_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,

    CONSTRAINT "user_group_member_pkey" PRIMARY KEY ("group_id","user_id")
);

-- CreateTable
CREATE TABLE "user_group_subgroup" (
    "supergroup_id" INTEGER NOT NULL,
    "subgroup_id" INTEGER NOT NULL,

    CONSTRAINT "user_group_subgroup_pkey" PRIMARY KEY ("supergroup_id","subgroup_id")
);

-- CreateTable
CREATE TABLE "channel_folders" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "name" VARCHAR(60) NOT NULL,
    "description" VARCHAR(1024) NOT NULL DEFAULT '',
    "rendered_description" TEXT NOT NULL DEFAULT '',
    "order" INTEGER NOT NULL DEFAULT 0,
    "creator_id" INTEGER,
    "date_created" TIMESTAMPTZ(6) DEFAULT CURRENT_TIMESTAMP,
    "is_archived" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "channel_folders_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "channels" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "name" VARCHAR(60) NOT NULL,
    "description" VARCHAR(1024) NOT NULL DEFAULT '',
    "rendered_description" TEXT NOT NULL DEFAULT '',
    "creator_id" INTEGER,
    "date_created" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "invite_only" BOOLEAN NOT NULL DEFAULT false,
    "history_public_to_subscribers" BOOLEAN NOT NULL DEFAULT true,
    "is_web_public" BOOLEAN NOT NULL DEFAULT false,
    "is_archived" BOOLEAN NOT NULL DEFAULT false,
    "topics_policy" VARCHAR(24) NOT NULL DEFAULT 'inherit',
    "message_retention_days" INTEGER,
    "folder_id" INTEGER,
    "first_message_id" BIGINT,
    "subscriber_count" INTEGER NOT NULL DEFAULT 0,
    "is_recently_active" BOOLEAN NOT NULL DEFAULT true,
    "weekly_traffic" INTEGER,
    "can_add_subscribers_group_id" INTEGER NOT NULL,
    "can_administer_channel_group_id" INTEGER NOT NULL,
    "can_create_topic_group_id" INTEGER NOT NULL,
    "can_delete_any_message_group_id" INTEGER NOT NULL,
    "can_delete_own_message_group_id" INTEGER NOT NULL,
    "can_move_messages_out_of_channel_group_id" INTEGER NOT NULL,
    "can_move_messages_within_channel_group_id" INTEGER NOT NULL,
    "can_remove_subscribers_group_id" INTEGER NOT NULL,
    "can_resolve_topics_group_id" INTEGER NOT NULL,
    "can_send_message_group_id" INTEGER NOT NULL,
    "can_subscribe_group_id" INTEGER NOT NULL,

    CONSTRAINT "channels_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "default_channels" (
    "channel_id" INTEGER NOT NULL,

    CONSTRAINT "default_channels_pkey" PRIMARY KEY ("channel_id")
);

-- CreateTable
CREATE TABLE "subscriptions" (
    "channel_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "is_user_active" BOOLEAN NOT NULL DEFAULT true,
    "color" VARCHAR(7) NOT NULL DEFAULT '#76ce90',
    "is_muted" BOOLEAN NOT NULL DEFAULT false,
    "pin_to_top" BOOLEAN NOT NULL DEFAULT false,
    "desktop_notifications" BOOLEAN,
    "audible_notifications" BOOLEAN,
    "push_notifications" BOOLEAN,
    "email_notifications" BOOLEAN,
    "wildcard_mentions_notify" BOOLEAN,

    CONSTRAINT "subscriptions_pkey" PRIMARY KEY ("channel_id","user_id")
);

-- CreateTable
CREATE TABLE "recipients" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "channel_id" INTEGER,
    "member_ids" INTEGER[],
    "member_hash" BYTEA,

    CONSTRAINT "recipients_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "messages" (
    "id" BIGSERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "scheduled_message_id" BIGINT,
    "sender_id" INTEGER NOT NULL,
    "recipient_id" INTEGER NOT NULL,
    "is_channel" BOOLEAN NOT NULL,
    "topic" VARCHAR(60) NOT NULL,
    "content" TEXT NOT NULL,
    "rendered_content" TEXT NOT NULL,
    "render_version" SMALLINT NOT NULL,
    "sent_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "client_id" INTEGER NOT NULL,
    "edit_history" JSONB,
    "last_edit_at" TIMESTAMPTZ(6),
    "has_link" BOOLEAN NOT NULL DEFAULT false,
    "has_image" BOOLEAN NOT NULL DEFAULT false,
    "has_attachment" BOOLEAN NOT NULL DEFAULT false,
    "search" tsvector,

    CONSTRAINT "messages_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user_messages" (
    "user_id" INTEGER NOT NULL,
    "message_id" BIGINT NOT NULL,
    "flags" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "user_messages_pkey" PRIMARY KEY ("user_id","message_id")
);

-- CreateTable
CREATE TABLE "scheduled_messages" (
    "id" BIGSERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "sender_id" INTEGER NOT NULL,
    "kind" SMALLINT NOT NULL DEFAULT 1,
    "recipient_id" INTEGER NOT NULL,
    "channel_id" INTEGER,
    "topic" VARCHAR(60) NOT NULL DEFAULT '',
    "content" TEXT NOT NULL,
    "rendered_content" TEXT NOT NULL,
    "client_id" INTEGER NOT NULL,
    "deliver_at" TIMESTAMPTZ(6) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "alarmed_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "read_by_sender" BOOLEAN NOT NULL,
    "delivered" BOOLEAN NOT NULL DEFAULT false,
    "delivered_message_id" BIGINT,
    "failed" BOOLEAN NOT NULL DEFAULT false,
    "failure_message" TEXT,
    "has_attachment" BOOLEAN NOT NULL DEFAULT false,
    "reminder_target_message_id" BIGINT,
    "reminder_note" TEXT,

    CONSTRAINT "scheduled_messages_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "alert_words" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "word" VARCHAR(100) NOT NULL,

    CONSTRAINT "alert_words_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user_topics" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "channel_id" INTEGER NOT NULL,
    "topic" VARCHAR(60) NOT NULL,
    "visibility_policy" SMALLINT NOT NULL,
    "last_updated" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_topics_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "muted_users" (
    "user_id" INTEGER NOT NULL,
    "muted_user_id" INTEGER NOT NULL,
    "date_muted" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "muted_users_pkey" PRIMARY KEY ("user_id","muted_user_id")
);

-- CreateTable
CREATE TABLE "event_head" (
    "realm_id" INTEGER NOT NULL,
    "seq" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "event_head_pkey" PRIMARY KEY ("realm_id")
);

-- CreateTable
CREATE TABLE "event_log" (
    "realm_id" INTEGER NOT NULL,
    "seq" BIGINT NOT NULL,
    "type" VARCHAR(40) NOT NULL,
    "op" VARCHAR(40),
    "payload" JSONB NOT NULL,
    "audience" INTEGER[],
    "user_data" JSONB,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_log_pkey" PRIMARY KEY ("realm_id","seq")
);

-- CreateTable
CREATE TABLE "job_intent" (
    "id" BIGSERIAL NOT NULL,
    "realm_id" INTEGER,
    "job" VARCHAR(60) NOT NULL,
    "unique_key" VARCHAR(200) NOT NULL,
    "payload" JSONB NOT NULL,
    "run_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "state" VARCHAR(10) NOT NULL DEFAULT 'pending',
    "version" INTEGER NOT NULL DEFAULT 1,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "last_error" TEXT,
    "enqueued_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(6),

    CONSTRAINT "job_intent_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "process_heartbeats" (
    "process_id" UUID NOT NULL,
    "role" VARCHAR(20) NOT NULL,
    "host" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "counters" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "process_heartbeats_pkey" PRIMARY KEY ("process_id")
);

-- CreateTable
CREATE TABLE "counters" (
    "name" VARCHAR(60) NOT NULL,
    "value" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "counters_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "audit_log" (
    "id" BIGSERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "acting_user_id" INTEGER,
    "modified_user_id" INTEGER,
    "event_type" VARCHAR(60) NOT NULL,
    "event_time" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "extra_data" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "audit_log_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "realms_subdomain_key" ON "realms"("subdomain");

-- CreateIndex
CREATE UNIQUE INDEX "clients_name_key" ON "clients"("name");

-- CreateIndex
CREATE UNIQUE INDEX "users_api_key_digest_key" ON "users"("api_key_digest");

-- CreateIndex
CREATE UNIQUE INDEX "users_realm_id_system_bot_kind_key" ON "users"("realm_id", "system_bot_kind");

-- CreateIndex
CREATE INDEX "user_group_realm_id_idx" ON "user_group"("realm_id");

-- CreateIndex
CREATE UNIQUE INDEX "named_user_group_realm_id_name_key" ON "named_user_group"("realm_id", "name");

-- CreateIndex
CREATE INDEX "user_group_member_user_id_idx" ON "user_group_member"("user_id");

-- CreateIndex
CREATE INDEX "user_group_subgroup_subgroup_id_idx" ON "user_group_subgroup"("subgroup_id");

-- CreateIndex
CREATE UNIQUE INDEX "recipients_channel_id_key" ON "recipients"("channel_id");

-- CreateIndex
CREATE UNIQUE INDEX "recipients_realm_id_member_hash_key" ON "recipients"("realm_id", "member_hash");

-- CreateIndex
CREATE UNIQUE INDEX "messages_scheduled_message_id_key" ON "messages"("scheduled_message_id");

-- CreateIndex
CREATE INDEX "messages_recipient_id_id_idx" ON "messages"("recipient_id", "id");

-- CreateIndex
CREATE INDEX "messages_sender_id_recipient_id_id_idx" ON "messages"("sender_id", "recipient_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "scheduled_messages_delivered_message_id_key" ON "scheduled_messages"("delivered_message_id");

-- CreateIndex
CREATE INDEX "alert_words_realm_id_idx" ON "alert_words"("realm_id");

-- CreateIndex
CREATE INDEX "user_topics_channel_id_idx" ON "user_topics"("channel_id");

-- CreateIndex
CREATE INDEX "muted_users_muted_user_id_idx" ON "muted_users"("muted_user_id");

-- CreateIndex
CREATE UNIQUE INDEX "job_intent_unique_key_key" ON "job_intent"("unique_key");

-- CreateIndex
CREATE INDEX "audit_log_realm_id_event_time_idx" ON "audit_log"("realm_id", "event_time");

-- AddForeignKey
ALTER TABLE "realms" ADD CONSTRAINT "realms_can_manage_all_groups_id_fkey" FOREIGN KEY ("can_manage_all_groups_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "realms" ADD CONSTRAINT "realms_can_create_groups_id_fkey" FOREIGN KEY ("can_create_groups_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "realms" ADD CONSTRAINT "realms_can_create_public_channel_group_id_fkey" FOREIGN KEY ("can_create_public_channel_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "realms" ADD CONSTRAINT "realms_can_create_private_channel_group_id_fkey" FOREIGN KEY ("can_create_private_channel_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "realms" ADD CONSTRAINT "realms_can_create_web_public_channel_group_id_fkey" FOREIGN KEY ("can_create_web_public_channel_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "realms" ADD CONSTRAINT "realms_can_add_subscribers_group_id_fkey" FOREIGN KEY ("can_add_subscribers_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "realms" ADD CONSTRAINT "realms_can_delete_any_message_group_id_fkey" FOREIGN KEY ("can_delete_any_message_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "realms" ADD CONSTRAINT "realms_can_delete_own_message_group_id_fkey" FOREIGN KEY ("can_delete_own_message_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "realms" ADD CONSTRAINT "realms_can_move_messages_between_channels_group_id_fkey" FOREIGN KEY ("can_move_messages_between_channels_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "realms" ADD CONSTRAINT "realms_can_move_messages_between_topics_group_id_fkey" FOREIGN KEY ("can_move_messages_between_topics_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "realms" ADD CONSTRAINT "realms_can_resolve_topics_group_id_fkey" FOREIGN KEY ("can_resolve_topics_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "realms" ADD CONSTRAINT "realms_can_set_topics_policy_group_id_fkey" FOREIGN KEY ("can_set_topics_policy_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "realms" ADD CONSTRAINT "realms_can_set_delete_message_policy_group_id_fkey" FOREIGN KEY ("can_set_delete_message_policy_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "realms" ADD CONSTRAINT "realms_can_access_all_users_group_id_fkey" FOREIGN KEY ("can_access_all_users_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "realms" ADD CONSTRAINT "realms_can_create_bots_group_id_fkey" FOREIGN KEY ("can_create_bots_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "realms" ADD CONSTRAINT "realms_can_create_write_only_bots_group_id_fkey" FOREIGN KEY ("can_create_write_only_bots_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "realms" ADD CONSTRAINT "realms_can_add_custom_emoji_group_id_fkey" FOREIGN KEY ("can_add_custom_emoji_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "realms" ADD CONSTRAINT "realms_can_mention_many_users_group_id_fkey" FOREIGN KEY ("can_mention_many_users_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "realms" ADD CONSTRAINT "realms_can_invite_users_group_id_fkey" FOREIGN KEY ("can_invite_users_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "realms" ADD CONSTRAINT "realms_create_multiuse_invite_group_id_fkey" FOREIGN KEY ("create_multiuse_invite_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "realms" ADD CONSTRAINT "realms_direct_message_initiator_group_id_fkey" FOREIGN KEY ("direct_message_initiator_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "realms" ADD CONSTRAINT "realms_direct_message_permission_group_id_fkey" FOREIGN KEY ("direct_message_permission_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "realms" ADD CONSTRAINT "realms_can_summarize_topics_group_id_fkey" FOREIGN KEY ("can_summarize_topics_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "realms" ADD CONSTRAINT "realms_new_stream_announcements_channel_id_fkey" FOREIGN KEY ("new_stream_announcements_channel_id") REFERENCES "channels"("id") ON DELETE SET NULL ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "realm_user_defaults" ADD CONSTRAINT "realm_user_defaults_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "users" ADD CONSTRAINT "users_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "users" ADD CONSTRAINT "users_bot_owner_id_fkey" FOREIGN KEY ("bot_owner_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "users" ADD CONSTRAINT "users_default_sending_channel_id_fkey" FOREIGN KEY ("default_sending_channel_id") REFERENCES "channels"("id") ON DELETE SET NULL ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "users" ADD CONSTRAINT "users_default_events_register_channel_id_fkey" FOREIGN KEY ("default_events_register_channel_id") REFERENCES "channels"("id") ON DELETE SET NULL ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "user_group" ADD CONSTRAINT "user_group_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "named_user_group" ADD CONSTRAINT "named_user_group_id_fkey" FOREIGN KEY ("id") REFERENCES "user_group"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "named_user_group" ADD CONSTRAINT "named_user_group_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "named_user_group" ADD CONSTRAINT "named_user_group_creator_id_fkey" FOREIGN KEY ("creator_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "named_user_group" ADD CONSTRAINT "named_user_group_can_add_members_group_id_fkey" FOREIGN KEY ("can_add_members_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "named_user_group" ADD CONSTRAINT "named_user_group_can_join_group_id_fkey" FOREIGN KEY ("can_join_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "named_user_group" ADD CONSTRAINT "named_user_group_can_leave_group_id_fkey" FOREIGN KEY ("can_leave_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "named_user_group" ADD CONSTRAINT "named_user_group_can_manage_group_id_fkey" FOREIGN KEY ("can_manage_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "named_user_group" ADD CONSTRAINT "named_user_group_can_mention_group_id_fkey" FOREIGN KEY ("can_mention_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "named_user_group" ADD CONSTRAINT "named_user_group_can_remove_members_group_id_fkey" FOREIGN KEY ("can_remove_members_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "user_group_member" ADD CONSTRAINT "user_group_member_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "user_group"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "user_group_member" ADD CONSTRAINT "user_group_member_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "user_group_subgroup" ADD CONSTRAINT "user_group_subgroup_supergroup_id_fkey" FOREIGN KEY ("supergroup_id") REFERENCES "user_group"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "user_group_subgroup" ADD CONSTRAINT "user_group_subgroup_subgroup_id_fkey" FOREIGN KEY ("subgroup_id") REFERENCES "named_user_group"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "channel_folders" ADD CONSTRAINT "channel_folders_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "channel_folders" ADD CONSTRAINT "channel_folders_creator_id_fkey" FOREIGN KEY ("creator_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "channels" ADD CONSTRAINT "channels_can_add_subscribers_group_id_fkey" FOREIGN KEY ("can_add_subscribers_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "channels" ADD CONSTRAINT "channels_can_administer_channel_group_id_fkey" FOREIGN KEY ("can_administer_channel_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "channels" ADD CONSTRAINT "channels_can_create_topic_group_id_fkey" FOREIGN KEY ("can_create_topic_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "channels" ADD CONSTRAINT "channels_can_delete_any_message_group_id_fkey" FOREIGN KEY ("can_delete_any_message_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "channels" ADD CONSTRAINT "channels_can_delete_own_message_group_id_fkey" FOREIGN KEY ("can_delete_own_message_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "channels" ADD CONSTRAINT "channels_can_move_messages_out_of_channel_group_id_fkey" FOREIGN KEY ("can_move_messages_out_of_channel_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "channels" ADD CONSTRAINT "channels_can_move_messages_within_channel_group_id_fkey" FOREIGN KEY ("can_move_messages_within_channel_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "channels" ADD CONSTRAINT "channels_can_remove_subscribers_group_id_fkey" FOREIGN KEY ("can_remove_subscribers_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "channels" ADD CONSTRAINT "channels_can_resolve_topics_group_id_fkey" FOREIGN KEY ("can_resolve_topics_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "channels" ADD CONSTRAINT "channels_can_send_message_group_id_fkey" FOREIGN KEY ("can_send_message_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "channels" ADD CONSTRAINT "channels_can_subscribe_group_id_fkey" FOREIGN KEY ("can_subscribe_group_id") REFERENCES "user_group"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "channels" ADD CONSTRAINT "channels_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "channels" ADD CONSTRAINT "channels_creator_id_fkey" FOREIGN KEY ("creator_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "channels" ADD CONSTRAINT "channels_folder_id_fkey" FOREIGN KEY ("folder_id") REFERENCES "channel_folders"("id") ON DELETE SET NULL ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "default_channels" ADD CONSTRAINT "default_channels_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "recipients" ADD CONSTRAINT "recipients_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "recipients" ADD CONSTRAINT "recipients_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "scheduled_messages" ADD CONSTRAINT "scheduled_messages_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "scheduled_messages" ADD CONSTRAINT "scheduled_messages_sender_id_fkey" FOREIGN KEY ("sender_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "scheduled_messages" ADD CONSTRAINT "scheduled_messages_recipient_id_fkey" FOREIGN KEY ("recipient_id") REFERENCES "recipients"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "scheduled_messages" ADD CONSTRAINT "scheduled_messages_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "scheduled_messages" ADD CONSTRAINT "scheduled_messages_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "clients"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "alert_words" ADD CONSTRAINT "alert_words_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "user_topics" ADD CONSTRAINT "user_topics_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "user_topics" ADD CONSTRAINT "user_topics_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "muted_users" ADD CONSTRAINT "muted_users_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "muted_users" ADD CONSTRAINT "muted_users_muted_user_id_fkey" FOREIGN KEY ("muted_user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- What the schema file cannot say: deferred keys, checks, partial and expression indexes, storage.

-- An organization and its system groups refer to each other: both come into being in one transaction.
ALTER TABLE "user_group" ALTER CONSTRAINT "user_group_realm_id_fkey" DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE "named_user_group" ALTER CONSTRAINT "named_user_group_realm_id_fkey" DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "realms"
  ADD CONSTRAINT "realms_topics_policy_check" CHECK (topics_policy IN ('allow_empty_topic', 'disable_empty_topic')),
  ADD CONSTRAINT "realms_waiting_period_check" CHECK (waiting_period_threshold >= 0);

ALTER TABLE "users"
  ADD CONSTRAINT "users_role_check" CHECK (role IN (100, 200, 300, 400, 600)),
  ADD CONSTRAINT "users_bot_check" CHECK (is_bot = (bot_type IS NOT NULL)),
  ADD CONSTRAINT "users_bot_owner_check" CHECK (is_bot OR bot_owner_id IS NULL);
CREATE UNIQUE INDEX "users_realm_id_lower_delivery_email_key" ON "users" (realm_id, lower(delivery_email));
CREATE UNIQUE INDEX "users_realm_id_lower_email_key" ON "users" (realm_id, lower(email));
CREATE INDEX "users_realm_id_lower_full_name_idx" ON "users" (realm_id, lower(full_name));
CREATE INDEX "users_active_bots_idx" ON "users" (bot_owner_id) WHERE is_bot AND is_active;
CREATE INDEX "users_active_idx" ON "users" (realm_id) WHERE is_active;
CREATE INDEX "users_active_owners_idx" ON "users" (realm_id) WHERE role = 100 AND is_active AND NOT is_bot;

ALTER TABLE "channels"
  ADD CONSTRAINT "channels_web_public_check" CHECK (NOT (is_web_public AND invite_only)),
  ADD CONSTRAINT "channels_history_check" CHECK (invite_only OR history_public_to_subscribers),
  ADD CONSTRAINT "channels_subscriber_count_check" CHECK (subscriber_count >= 0),
  ADD CONSTRAINT "channels_topics_policy_check"
    CHECK (topics_policy IN ('inherit', 'allow_empty_topic', 'disable_empty_topic', 'empty_topic_only'));
CREATE UNIQUE INDEX "channels_realm_id_lower_name_key" ON "channels" (realm_id, lower(name));
CREATE UNIQUE INDEX "channel_folders_realm_id_lower_name_key" ON "channel_folders" (realm_id, lower(name));

CREATE INDEX "subscriptions_user_active_idx" ON "subscriptions" (user_id) WHERE active;
CREATE INDEX "subscriptions_channel_active_idx" ON "subscriptions" (channel_id) WHERE active AND is_user_active;

ALTER TABLE "recipients"
  ADD CONSTRAINT "recipients_kind_check"
    CHECK ((channel_id IS NOT NULL) <> (member_hash IS NOT NULL AND member_ids IS NOT NULL));

CREATE INDEX "messages_topic_idx" ON "messages" (recipient_id, lower(topic), id DESC) WHERE is_channel;
CREATE INDEX "messages_sender_idx" ON "messages" (sender_id, id);
-- With fastupdate the words of new messages wait in a list that autovacuum files: a third of the insert's time. The
-- list may grow to 32 MB, so that a burst does not have to file it in the middle of a delivery (0.13 s at 4 MB).
CREATE INDEX "messages_search_idx" ON "messages" USING gin (search)
  WITH (fastupdate = on, gin_pending_list_limit = 32768);

-- Bit 1 of the flags is `read`, bit 256 says that the message is direct (domain, messages/flags).
CREATE INDEX "user_messages_unread_idx" ON "user_messages" (user_id, message_id) WHERE flags & 1 = 0;
CREATE INDEX "user_messages_direct_idx" ON "user_messages" (user_id, message_id) WHERE flags & 256 <> 0;

ALTER TABLE "scheduled_messages"
  ADD CONSTRAINT "scheduled_messages_end_check" CHECK (NOT (delivered AND failed)),
  ADD CONSTRAINT "scheduled_messages_topic_check" CHECK (channel_id IS NOT NULL OR topic = ''),
  ADD CONSTRAINT "scheduled_messages_kind_check" CHECK (kind = 1 OR reminder_target_message_id IS NOT NULL);
-- Claim and sweep; delivered rows pile up, so they are left out.
CREATE INDEX "scheduled_messages_due_idx" ON "scheduled_messages" (realm_id, deliver_at, id)
  WHERE NOT delivered AND NOT failed;
-- Relay: pending rows without an alarm.
CREATE INDEX "scheduled_messages_unalarmed_idx" ON "scheduled_messages" (deliver_at)
  WHERE alarmed_at IS NULL AND NOT delivered AND NOT failed;
-- The sweep and the gauges look across organizations.
CREATE INDEX "scheduled_messages_pending_idx" ON "scheduled_messages" (deliver_at)
  WHERE NOT delivered AND NOT failed;
-- Listing.
CREATE INDEX "scheduled_messages_listing_idx" ON "scheduled_messages" (sender_id, kind, deliver_at, id)
  WHERE NOT delivered;

CREATE UNIQUE INDEX "alert_words_user_id_lower_word_key" ON "alert_words" (user_id, lower(word));
ALTER TABLE "user_topics" ADD CONSTRAINT "user_topics_policy_check" CHECK (visibility_policy IN (1, 2, 3));
CREATE UNIQUE INDEX "user_topics_user_id_channel_id_lower_topic_key"
  ON "user_topics" (user_id, channel_id, lower(topic));

-- Each transaction that emits rewrites its organization's head: leave room for it on the page.
ALTER TABLE "event_head" SET (fillfactor = 50);

ALTER TABLE "job_intent" ADD CONSTRAINT "job_intent_state_check" CHECK (state IN ('pending', 'done', 'dead'));
CREATE INDEX "job_intent_pending_idx" ON "job_intent" (run_at) WHERE state = 'pending';
CREATE INDEX "job_intent_unqueued_idx" ON "job_intent" (created_at) WHERE state = 'pending' AND enqueued_at IS NULL;
CREATE INDEX "job_intent_dead_idx" ON "job_intent" (finished_at) WHERE state = 'dead';
