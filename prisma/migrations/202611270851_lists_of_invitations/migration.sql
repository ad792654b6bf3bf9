-- The list of an organization's invitations is read in pages, by id.
CREATE INDEX "invitations_open_by_id" ON "invitations" ("realm_id", "id") WHERE "ended_at" IS NULL;
-- The same list for a maker, and the links that a deactivation of their maker ends.
CREATE INDEX "invitations_open_of_maker" ON "invitations" ("realm_id", "maker_id", "id") WHERE "ended_at" IS NULL;
DROP INDEX "invitations_open";
