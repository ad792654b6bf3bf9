-- Avatars, the organization's icon and logo, custom emoji (files.md §6), and the requests that wait for their pictures.
ALTER TABLE "realms" ADD COLUMN "avatar_changes_disabled" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN "icon_file" VARCHAR(24),
ADD COLUMN "logo_file" VARCHAR(24),
ADD COLUMN "night_logo_file" VARCHAR(24);

ALTER TABLE "users" ADD COLUMN "avatar_file" VARCHAR(24);

CREATE TABLE "pictures" (
    "path" VARCHAR(64) NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "user_id" INTEGER,
    "object_key" VARCHAR(40) NOT NULL,
    "content_type" VARCHAR(20) NOT NULL,
    "size" INTEGER NOT NULL,
    "sha256" BYTEA NOT NULL,
    "replaced_at" TIMESTAMPTZ(6),

    CONSTRAINT "pictures_pkey" PRIMARY KEY ("path")
);

CREATE TABLE "picture_requests" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "kind" VARCHAR(8) NOT NULL,
    "object_key" VARCHAR(40) NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "outcome" JSONB,

    CONSTRAINT "picture_requests_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "realm_emoji" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "name" VARCHAR(100) NOT NULL,
    "author_id" INTEGER NOT NULL,
    "deactivated" BOOLEAN NOT NULL DEFAULT false,
    "file" VARCHAR(16) NOT NULL,
    "still_file" VARCHAR(16),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "realm_emoji_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "pictures_object_key_key" ON "pictures"("object_key");
CREATE INDEX "picture_requests_created_at_idx" ON "picture_requests"("created_at");
CREATE INDEX "realm_emoji_realm_id_id_idx" ON "realm_emoji"("realm_id", "id");

ALTER TABLE "pictures" ADD CONSTRAINT "pictures_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "picture_requests" ADD CONSTRAINT "picture_requests_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "realm_emoji" ADD CONSTRAINT "realm_emoji_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "realm_emoji" ADD CONSTRAINT "realm_emoji_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- One active emoji of a name; texts, reactions and statuses look it up.
CREATE UNIQUE INDEX "realm_emoji_active_name_key" ON "realm_emoji"("realm_id", "name") WHERE NOT "deactivated";

-- Former pictures, to delete them after 30 days, and to bound those of one account.
CREATE INDEX "pictures_replaced_at_idx" ON "pictures"("replaced_at") WHERE "replaced_at" IS NOT NULL;
CREATE INDEX "pictures_of_account_idx" ON "pictures"("user_id", "replaced_at") WHERE "user_id" IS NOT NULL;
