-- AlterTable
ALTER TABLE "archived_messages" ADD COLUMN     "reactions" JSONB,
ADD COLUMN     "submessages" JSONB;

-- CreateTable
CREATE TABLE "reactions" (
    "id" BIGSERIAL NOT NULL,
    "message_id" BIGINT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "reaction_type" VARCHAR(20) NOT NULL,
    "emoji_code" VARCHAR(100) NOT NULL,
    "emoji_name" VARCHAR(100) NOT NULL,

    CONSTRAINT "reactions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "submessages" (
    "id" BIGSERIAL NOT NULL,
    "message_id" BIGINT NOT NULL,
    "sender_id" INTEGER NOT NULL,
    "msg_type" VARCHAR(100) NOT NULL,
    "content" TEXT NOT NULL,

    CONSTRAINT "submessages_pkey" PRIMARY KEY ("id")
);

-- An account has each emoji on a message once; by it, the reactions of a message are found, too.
CREATE UNIQUE INDEX "reactions_message_id_user_id_reaction_type_emoji_code_key" ON "reactions"("message_id", "user_id", "reaction_type", "emoji_code");

-- The submessages of a message, in order.
CREATE INDEX "submessages_message_id_id_idx" ON "submessages"("message_id", "id");
