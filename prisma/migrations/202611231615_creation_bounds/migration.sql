-- How many channels, user groups and bots an organization may have; null for what the server allows.
ALTER TABLE "realms" ADD COLUMN "max_channels" INTEGER, ADD COLUMN "max_user_groups" INTEGER, ADD COLUMN "max_bots" INTEGER;

-- Bots of an organization, counted when one is made.
CREATE INDEX "users_bots_idx" ON "users" (realm_id, date_joined) WHERE is_bot;
