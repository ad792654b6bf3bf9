import { alertWordsChanged, errors, maxAlertWords } from "@carillon/contract";
import { lockKeyWithCommit, type Sql, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { isLongerThan } from "@carillon/kit";
import { type Account, lockAccount } from "@carillon/model";

const ofAccount = statement({
  name: "alert-words-of-account",
  text: "SELECT word FROM alert_words WHERE realm_id = $1 AND user_id = $2 ORDER BY id",
});

/** Lists the account's alert words in the order in which they were added. */
export async function listAlertWords(
  sql: Sql,
  { id, realmId }: Pick<Account, "id" | "realmId">,
): Promise<string[]> {
  return (await sql.rows(ofAccount, [realmId, id])).map(({ word }) => word);
}

/** Maximum code points of a word as sent. */
const maxLength = 100;

const add = statement({
  name: "alert-words-add",
  text: `INSERT INTO alert_words (realm_id, user_id, word, word_lower)
    SELECT $1, $2, word, lower FROM unnest($3::text[], $4::text[]) AS given (word, lower)
    ON CONFLICT (user_id, word_lower) DO NOTHING`,
});

const remove = statement({
  name: "alert-words-remove",
  text: "DELETE FROM alert_words WHERE realm_id = $1 AND user_id = $2 AND word_lower = ANY($3::text[])",
});

/** Gives the account's words a new version, which invalidates the caches of all processes (`alerted.ts`). */
const noteChange = statement({
  name: "alert-words-note-change",
  text: `INSERT INTO alert_word_owners (user_id, realm_id, words)
    SELECT $2, $1, count(*) FROM alert_words WHERE user_id = $2
    ON CONFLICT (user_id) DO UPDATE SET version = EXCLUDED.version, words = EXCLUDED.words`,
});

/**
 * Adds alert words to the account. Existing words, compared ignoring case, stay as they are
 * (bot-storage-alert-words-navigation.md §2).
 * @returns all words of the account afterwards
 * @throws ApiError `BAD_REQUEST` for a word that is too long, and for more words than an account may have
 */
export async function addAlertWords(
  tx: Tx,
  actor: Account,
  given: readonly string[],
): Promise<string[]> {
  if (given.some((word) => isLongerThan(word, maxLength)))
    throw errors.badRequest(`An alert word must not have more than ${maxLength} characters`);
  const words = byLower(given);
  return change(tx, actor, async () => {
    const added = await tx.count(add, [
      actor.realmId,
      actor.id,
      [...words.values()],
      [...words.keys()],
    ]);
    return added > 0;
  });
}

/**
 * Removes alert words, compared ignoring case. Ignores unknown words.
 * @returns the remaining words
 */
export async function removeAlertWords(
  tx: Tx,
  actor: Account,
  given: readonly string[],
): Promise<string[]> {
  const lower = [...byLower(given).keys()];
  return change(
    tx,
    actor,
    async () => (await tx.count(remove, [actor.realmId, actor.id, lower])) > 0,
  );
}

/** Changes the account's words under its lock, so that its clients receive the lists in the order of the changes. */
async function change(tx: Tx, actor: Account, write: () => Promise<boolean>): Promise<string[]> {
  await lockAccount(tx, actor.realmId, actor.id);
  const changed = await write();
  const words = await listAlertWords(tx, actor);
  if (changed) {
    if (words.length > maxAlertWords)
      throw errors.badRequest(`An account must not have more than ${maxAlertWords} alert words`);
    // Locks before `version` is taken, so that versions follow the order of commits: a reader of newer versions misses
    // none.
    lockKeyWithCommit(tx, "alertWords", actor.realmId);
    tx.sendWithCommit(noteChange, [actor.realmId, actor.id]);
  }
  emit(tx, actor.realmId, [alertWordsChanged({ alert_words: words }, { audience: [actor.id] })]);
  return words;
}

/** Trims words and keys them by their lower case; of several spellings the last is used. */
function byLower(given: readonly string[]): Map<string, string> {
  const words = new Map<string, string>();
  for (const one of given) {
    const word = one.trim();
    if (word !== "") words.set(word.toLowerCase(), word);
  }
  return words;
}
