-- Alert words are folded by the processes that look for them in messages; "word_lower" is unique. PostgreSQL folds some
-- letters otherwise: this index refused words that differ.
DROP INDEX "alert_words_user_id_lower_word_key";
