-- CreateTable
CREATE TABLE "custom_profile_fields" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "name" VARCHAR(40) NOT NULL,
    "hint" VARCHAR(80) NOT NULL,
    "field_type" SMALLINT NOT NULL,
    "field_data" TEXT NOT NULL,
    "order" INTEGER NOT NULL,
    "display_in_profile_summary" BOOLEAN NOT NULL,
    "required" BOOLEAN NOT NULL,
    "editable_by_user" BOOLEAN NOT NULL,
    "use_for_user_matching" BOOLEAN NOT NULL,

    CONSTRAINT "custom_profile_fields_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "custom_profile_field_values" (
    "user_id" INTEGER NOT NULL,
    "field_id" INTEGER NOT NULL,
    "value" TEXT NOT NULL,
    "rendered_value" TEXT,

    CONSTRAINT "custom_profile_field_values_pkey" PRIMARY KEY ("user_id","field_id")
);

-- The fields of an organization, and whether a name is taken.
CREATE UNIQUE INDEX "custom_profile_fields_realm_id_name_key" ON "custom_profile_fields"("realm_id", "name");

-- The values of a field that is deleted, or loses choices.
CREATE INDEX "custom_profile_field_values_field_id_idx" ON "custom_profile_field_values"("field_id");

-- AddForeignKey
ALTER TABLE "custom_profile_fields" ADD CONSTRAINT "custom_profile_fields_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "custom_profile_field_values" ADD CONSTRAINT "custom_profile_field_values_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "custom_profile_field_values" ADD CONSTRAINT "custom_profile_field_values_field_id_fkey" FOREIGN KEY ("field_id") REFERENCES "custom_profile_fields"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- What the schema file cannot say (settings-and-profile-fields.md §2.6).
ALTER TABLE "custom_profile_fields"
  ADD CONSTRAINT "custom_profile_fields_type_check" CHECK (field_type BETWEEN 1 AND 8),
  ADD CONSTRAINT "custom_profile_fields_summary_check" CHECK (NOT display_in_profile_summary OR field_type <> 6),
  ADD CONSTRAINT "custom_profile_fields_matching_check" CHECK (NOT use_for_user_matching OR field_type IN (1, 7));
