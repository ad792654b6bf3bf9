-- The name of the server's own notices. Added with the first notice, it would keep all other notices waiting for that
-- transaction, up to its deadline.
INSERT INTO "clients" ("name") VALUES ('Internal') ON CONFLICT ("name") DO NOTHING;
