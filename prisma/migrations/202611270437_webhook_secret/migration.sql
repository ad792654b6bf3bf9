ALTER TABLE "users" ADD COLUMN "webhook_secret_sealed" BYTEA;
