-- Moving an organization to another installation (docs/moving.md).
ALTER TABLE "realms"
    ADD COLUMN "read_only_since" TIMESTAMPTZ(6),
    ADD COLUMN "moved_to" VARCHAR(2048);

-- The last event of an organization that is read-only: a transaction that would log another one fails.
ALTER TABLE "event_head"
    ADD COLUMN "last_seq" BIGINT CONSTRAINT "event_head_open" CHECK (seq <= last_seq);

-- The journal of an import, and the new ids of its records.
CREATE TABLE "organization_imports" (
    "id" SERIAL NOT NULL,
    "digest" CHAR(64) NOT NULL,
    "subdomain" VARCHAR(40) NOT NULL,
    "realm_id" INTEGER,
    "step" VARCHAR(100) NOT NULL DEFAULT '',
    "line" INTEGER NOT NULL DEFAULT 0,
    "started_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(6),

    CONSTRAINT "organization_imports_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "organization_imports_digest_key" ON "organization_imports"("digest");
ALTER TABLE "organization_imports" ADD CONSTRAINT "organization_imports_realm_id_fkey"
    FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
CREATE UNIQUE INDEX "organization_imports_subdomain_key" ON "organization_imports"("subdomain") WHERE finished_at IS NULL;

CREATE TABLE "import_ids" (
    "import_id" INTEGER NOT NULL,
    "kind" VARCHAR(63) NOT NULL,
    "old_id" BIGINT NOT NULL,
    "new_id" BIGINT NOT NULL,

    CONSTRAINT "import_ids_pkey" PRIMARY KEY ("import_id", "kind", "old_id")
);
ALTER TABLE "import_ids" ADD CONSTRAINT "import_ids_import_id_fkey"
    FOREIGN KEY ("import_id") REFERENCES "organization_imports"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

CREATE TABLE "import_paths" (
    "import_id" INTEGER NOT NULL,
    "old_path" VARCHAR(320) NOT NULL,
    "new_path" VARCHAR(320) NOT NULL,

    CONSTRAINT "import_paths_pkey" PRIMARY KEY ("import_id", "old_path")
);
ALTER TABLE "import_paths" ADD CONSTRAINT "import_paths_import_id_fkey"
    FOREIGN KEY ("import_id") REFERENCES "organization_imports"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
