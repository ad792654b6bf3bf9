-- CreateTable
CREATE TABLE "bot_storage_usage" (
    "bot_id" INTEGER NOT NULL,
    "size" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "bot_storage_usage_pkey" PRIMARY KEY ("bot_id")
);

-- CreateTable
CREATE TABLE "bot_storage_parts" (
    "bot_id" INTEGER NOT NULL,
    "key_digest" BYTEA NOT NULL,
    "part" INTEGER NOT NULL DEFAULT 0,
    "name" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "size" INTEGER NOT NULL,

    CONSTRAINT "bot_storage_parts_pkey" PRIMARY KEY ("bot_id","key_digest","part")
);

-- AddForeignKey
ALTER TABLE "bot_storage_usage" ADD CONSTRAINT "bot_storage_usage_bot_id_fkey" FOREIGN KEY ("bot_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "bot_storage_parts" ADD CONSTRAINT "bot_storage_parts_bot_id_fkey" FOREIGN KEY ("bot_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

ALTER TABLE "bot_storage_usage" ADD CONSTRAINT "bot_storage_usage_size_check" CHECK (size >= 0);

-- Values change often and their row's key does not: room on its page keeps the index out of it.
ALTER TABLE "bot_storage_parts" SET (fillfactor = 90);
