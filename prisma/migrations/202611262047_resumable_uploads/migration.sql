-- Resumable uploads (files.md §7): their state, and the objects of the file store that hold their bytes.
CREATE TABLE "resumable_uploads" (
    "id" VARCHAR(24) NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "owner_id" INTEGER NOT NULL,
    "size" BIGINT NOT NULL,
    "metadata" TEXT NOT NULL,
    "received" BIGINT NOT NULL DEFAULT 0,
    "tail" BYTEA NOT NULL DEFAULT '\x',
    "lease_id" VARCHAR(24),
    "lease_until" TIMESTAMPTZ(6),
    "path_id" VARCHAR(320),
    "name" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "resumable_uploads_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "resumable_parts" (
    "upload_id" VARCHAR(24) NOT NULL,
    "start" BIGINT NOT NULL,
    "size" BIGINT NOT NULL,
    "object_key" VARCHAR(40) NOT NULL,

    CONSTRAINT "resumable_parts_pkey" PRIMARY KEY ("upload_id","start")
);

CREATE INDEX "resumable_uploads_realm_id_idx" ON "resumable_uploads"("realm_id");
CREATE INDEX "resumable_uploads_owner_id_idx" ON "resumable_uploads"("owner_id");
CREATE INDEX "resumable_uploads_created_at_idx" ON "resumable_uploads"("created_at");

ALTER TABLE "resumable_uploads" ADD CONSTRAINT "resumable_uploads_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "resumable_uploads" ADD CONSTRAINT "resumable_uploads_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "resumable_parts" ADD CONSTRAINT "resumable_parts_upload_id_fkey" FOREIGN KEY ("upload_id") REFERENCES "resumable_uploads"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
