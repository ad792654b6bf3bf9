-- Links with which people join an organization (people.md §1, §2).
CREATE TABLE "invitations" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "kind" VARCHAR(10) NOT NULL,
    "maker_id" INTEGER,
    "parent_id" INTEGER,
    "email" VARCHAR(254),
    "full_name" VARCHAR(100),
    "role" SMALLINT NOT NULL,
    "include_defaults" BOOLEAN NOT NULL,
    "notify_referrer" BOOLEAN NOT NULL,
    "welcome_text" VARCHAR(8000),
    "key_digest" BYTEA NOT NULL,
    "key_sealed" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6),
    "ended_at" TIMESTAMPTZ(6),
    "joined_id" INTEGER,
    "mails" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "invitations_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "invitations_kind_check" CHECK (
      ("kind" = 'multiuse') = ("email" IS NULL) AND ("kind" = 'signup') = ("maker_id" IS NULL)
      AND ("kind" = 'personal') = ("parent_id" IS NOT NULL)
      AND "kind" IN ('email', 'multiuse', 'personal', 'signup')
    ),
    CONSTRAINT "invitations_role_check" CHECK ("role" IN (100, 200, 300, 400, 600))
);

CREATE TABLE "invitation_channels" (
    "invitation_id" INTEGER NOT NULL,
    "channel_id" INTEGER NOT NULL,

    CONSTRAINT "invitation_channels_pkey" PRIMARY KEY ("invitation_id", "channel_id")
);

CREATE TABLE "invitation_groups" (
    "invitation_id" INTEGER NOT NULL,
    "group_id" INTEGER NOT NULL,

    CONSTRAINT "invitation_groups_pkey" PRIMARY KEY ("invitation_id", "group_id")
);

CREATE TABLE "invitation_sendings" (
    "id" BIGSERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "mails" INTEGER NOT NULL,
    "sent_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "invitation_sendings_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "invitations_key_digest_key" ON "invitations"("key_digest");
CREATE INDEX "invitation_sendings_realm_id_sent_at_idx" ON "invitation_sendings"("realm_id", "sent_at");
CREATE INDEX "invitation_sendings_sent_at_idx" ON "invitation_sendings"("sent_at");

ALTER TABLE "invitations" ADD CONSTRAINT "invitations_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_maker_id_fkey" FOREIGN KEY ("maker_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_joined_id_fkey" FOREIGN KEY ("joined_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE NO ACTION;
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "invitations"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "invitation_channels" ADD CONSTRAINT "invitation_channels_invitation_id_fkey" FOREIGN KEY ("invitation_id") REFERENCES "invitations"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "invitation_channels" ADD CONSTRAINT "invitation_channels_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "invitation_groups" ADD CONSTRAINT "invitation_groups_invitation_id_fkey" FOREIGN KEY ("invitation_id") REFERENCES "invitations"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "invitation_groups" ADD CONSTRAINT "invitation_groups_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "named_user_group"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "invitation_sendings" ADD CONSTRAINT "invitation_sendings_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Lists of links that are not over, and the links that a deactivation of their maker ends.
CREATE INDEX "invitations_open" ON "invitations" ("realm_id", "maker_id") WHERE "ended_at" IS NULL;
-- Whoever joins ends all links of the address.
CREATE INDEX "invitations_open_of_address" ON "invitations" ("realm_id", lower("email")) WHERE "ended_at" IS NULL;
-- Links that are over are deleted after 30 days.
CREATE INDEX "invitations_over" ON "invitations" (LEAST("expires_at", "ended_at"));
-- Foreign keys of rows that are deleted: a reusable link, an account, a channel, a group.
CREATE INDEX "invitations_of_parent" ON "invitations" ("parent_id") WHERE "parent_id" IS NOT NULL;
CREATE INDEX "invitations_of_joined" ON "invitations" ("joined_id") WHERE "joined_id" IS NOT NULL;
CREATE INDEX "invitation_channels_channel_id_idx" ON "invitation_channels"("channel_id");
CREATE INDEX "invitation_groups_group_id_idx" ON "invitation_groups"("group_id");
