-- AlterTable
ALTER TABLE "users" ADD COLUMN     "edited_settings" TEXT[] DEFAULT ARRAY[]::TEXT[];
ALTER TABLE "users" ALTER COLUMN "edited_settings" SET NOT NULL;
