-- CreateTable
CREATE TABLE "event_queue" (
    "queue_id" UUID NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "base_seq" BIGINT NOT NULL,
    "options" JSONB NOT NULL,
    "idle_timeout" INTEGER NOT NULL,
    "last_seen" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_queue_pkey" PRIMARY KEY ("queue_id")
);

-- CreateTable
CREATE TABLE "user_presence" (
    "user_id" INTEGER NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "active_at" TIMESTAMPTZ(6),
    "idle_at" TIMESTAMPTZ(6),
    "update_id" BIGSERIAL NOT NULL,

    CONSTRAINT "user_presence_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "user_status" (
    "user_id" INTEGER NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "status_text" VARCHAR(60) NOT NULL DEFAULT '',
    "emoji_name" VARCHAR(100) NOT NULL DEFAULT '',
    "emoji_code" VARCHAR(100) NOT NULL DEFAULT '',
    "reaction_type" VARCHAR(30) NOT NULL DEFAULT '',
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_status_pkey" PRIMARY KEY ("user_id")
);

-- CreateIndex
CREATE INDEX "event_queue_user_id_idx" ON "event_queue"("user_id");

-- CreateIndex
CREATE INDEX "user_presence_realm_id_update_id_idx" ON "user_presence"("realm_id", "update_id");

-- CreateIndex
CREATE INDEX "user_status_realm_id_idx" ON "user_status"("realm_id");

-- AddForeignKey
ALTER TABLE "event_queue" ADD CONSTRAINT "event_queue_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "user_presence" ADD CONSTRAINT "user_presence_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "user_status" ADD CONSTRAINT "user_status_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- What the schema file cannot say.

-- Open polls rewrite `last_seen` every 15 s: room on the page, and no index on it, keep that from touching indexes.
ALTER TABLE "event_queue" SET (fillfactor = 70);

-- Every snapshot lists what is starred. Bit 2 of the flags is `starred` (domain, messages/flags).
CREATE INDEX "user_messages_starred_idx" ON "user_messages" (user_id, message_id) WHERE flags & 2 <> 0;
