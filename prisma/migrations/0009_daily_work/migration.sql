-- CreateTable
CREATE TABLE "channel_traffic" (
    "channel_id" INTEGER NOT NULL,
    "day" DATE NOT NULL,
    "messages" INTEGER NOT NULL,

    CONSTRAINT "channel_traffic_pkey" PRIMARY KEY ("channel_id","day")
);

-- CreateTable
CREATE TABLE "daily_work" (
    "name" VARCHAR(60) NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "day" DATE NOT NULL,

    CONSTRAINT "daily_work_pkey" PRIMARY KEY ("realm_id","name")
);

-- AddForeignKey
ALTER TABLE "channel_traffic" ADD CONSTRAINT "channel_traffic_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "daily_work" ADD CONSTRAINT "daily_work_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Retention: an organization's oldest direct messages. Those of a channel are found by messages_recipient_id_id_idx.
CREATE INDEX "messages_direct_idx" ON "messages" (realm_id, id) WHERE NOT is_channel;
