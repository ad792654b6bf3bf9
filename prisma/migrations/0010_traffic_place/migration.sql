-- CreateTable
CREATE TABLE "traffic_place" (
    "id" SMALLINT NOT NULL,
    "message_id" BIGINT NOT NULL,

    CONSTRAINT "traffic_place_pkey" PRIMARY KEY ("id")
);

ALTER TABLE "traffic_place" ADD CONSTRAINT "traffic_place_one_check" CHECK (id = 1);
INSERT INTO "traffic_place" VALUES (1, 0);
