-- Uploaded files (files.md): the ledger of stored objects, the bytes of each organization, the files and the messages that claim them.
CREATE TABLE "stored_objects" (
    "key" VARCHAR(40) NOT NULL,
    "delete_after" TIMESTAMPTZ(6),

    CONSTRAINT "stored_objects_pkey" PRIMARY KEY ("key")
);

CREATE TABLE "realm_storage" (
    "realm_id" INTEGER NOT NULL,
    "bytes_used" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "realm_storage_pkey" PRIMARY KEY ("realm_id")
);

CREATE TABLE "attachments" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "owner_id" INTEGER NOT NULL,
    "path_id" VARCHAR(320) NOT NULL,
    "object_key" VARCHAR(40) NOT NULL,
    "name" TEXT NOT NULL,
    "content_type" VARCHAR(200) NOT NULL,
    "size" BIGINT NOT NULL,
    "sha256" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "attachments_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "attachment_claims" (
    "attachment_id" INTEGER NOT NULL,
    "message_id" BIGINT NOT NULL,

    CONSTRAINT "attachment_claims_pkey" PRIMARY KEY ("attachment_id","message_id")
);

CREATE UNIQUE INDEX "attachments_path_id_key" ON "attachments"("path_id");
CREATE UNIQUE INDEX "attachments_object_key_key" ON "attachments"("object_key");
CREATE INDEX "attachments_owner_id_id_idx" ON "attachments"("owner_id", "id");
CREATE INDEX "attachments_realm_id_id_idx" ON "attachments"("realm_id", "id");
CREATE INDEX "attachment_claims_message_id_idx" ON "attachment_claims"("message_id");

ALTER TABLE "realm_storage" ADD CONSTRAINT "realm_storage_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "attachments" ADD CONSTRAINT "attachments_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "attachments" ADD CONSTRAINT "attachments_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "attachment_claims" ADD CONSTRAINT "attachment_claims_attachment_id_fkey" FOREIGN KEY ("attachment_id") REFERENCES "attachments"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Objects whose time has come. Few rows: those being uploaded, and those deleted in the last day.
CREATE INDEX "stored_objects_delete_after_idx" ON "stored_objects"("delete_after") WHERE "delete_after" IS NOT NULL;
