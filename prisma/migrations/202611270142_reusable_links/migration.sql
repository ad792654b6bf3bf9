-- An organization's reusable links are counted when one is made, among any number of invitations by mail.
CREATE INDEX "invitations_open_reusable" ON "invitations" ("realm_id") WHERE "kind" = 'multiuse' AND "ended_at" IS NULL;
