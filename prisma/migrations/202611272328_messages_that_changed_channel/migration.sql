-- Messages from another channel have copies for everyone who receives them: no copy of them is deferred.
ALTER TABLE "messages" ADD COLUMN "changed_channel" BOOLEAN NOT NULL DEFAULT false;
