-- AlterTable
ALTER TABLE "clients" ADD COLUMN     "added_by_id" INTEGER;

-- CreateIndex
CREATE INDEX "clients_added_by_id_idx" ON "clients"("added_by_id");

-- AddForeignKey
ALTER TABLE "clients" ADD CONSTRAINT "clients_added_by_id_fkey" FOREIGN KEY ("added_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE NO ACTION;
