-- What the words are compared by. No operation has added any until now.
ALTER TABLE "alert_words" ADD COLUMN "word_lower" TEXT;
UPDATE "alert_words" SET word_lower = lower(word);
DELETE FROM "alert_words" w USING "alert_words" first
  WHERE first.user_id = w.user_id AND first.word_lower = w.word_lower AND first.id < w.id;
ALTER TABLE "alert_words" ALTER COLUMN "word_lower" SET NOT NULL;

-- CreateTable
CREATE TABLE "alert_word_owners" (
    "user_id" INTEGER NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "version" BIGSERIAL NOT NULL,
    "words" INTEGER NOT NULL,

    CONSTRAINT "alert_word_owners_pkey" PRIMARY KEY ("user_id")
);

INSERT INTO "alert_word_owners" (user_id, realm_id, words)
  SELECT user_id, min(realm_id), count(*) FROM "alert_words" GROUP BY user_id;

-- CreateIndex
CREATE UNIQUE INDEX "alert_word_owners_realm_id_version_key" ON "alert_word_owners"("realm_id", "version");

-- CreateIndex
CREATE UNIQUE INDEX "alert_words_user_id_word_lower_key" ON "alert_words"("user_id", "word_lower");

-- AddForeignKey
ALTER TABLE "alert_word_owners" ADD CONSTRAINT "alert_word_owners_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
