import { column, statement, type Tx } from "@carillon/db";

const removed = { id: column.bigint };

const byTokenId = statement({
  name: "legacy-push-tokens-of-device-remove",
  text: `WITH held AS MATERIALIZED (
      SELECT id FROM legacy_push_tokens
      WHERE user_id = $1 AND substring(sha256(convert_to(token, 'UTF8')) FROM 1 FOR 8) = $2
      ORDER BY id FOR NO KEY UPDATE
    ) DELETE FROM legacy_push_tokens t USING held WHERE t.id = held.id RETURNING t.id`,
  row: removed,
});

/**
 * Removes the account's older tokens that are the one which the push bouncer has acknowledged: a device gets each
 * notification once (push.md §3).
 * @param tokenId 8 bytes: the first ones of SHA-256 of the token
 */
export async function removeLegacyTokens(tx: Tx, userId: number, tokenId: Buffer): Promise<void> {
  await tx.lock({ name: "legacyPushTokens" }, byTokenId, [userId, tokenId]);
}

const upTo = statement({
  name: "legacy-push-tokens-up-to-remove",
  text: `WITH held AS MATERIALIZED (
      SELECT id FROM legacy_push_tokens WHERE user_id = $1 AND id <= $2 ORDER BY id FOR NO KEY UPDATE
    ) DELETE FROM legacy_push_tokens t USING held WHERE t.id = held.id RETURNING t.id`,
  row: removed,
});

/** Removes the account's older tokens that had been stored by then. @param last id of the last one of them */
export async function removeLegacyTokensUpTo(tx: Tx, userId: number, last: number): Promise<void> {
  await tx.lock({ name: "legacyPushTokens" }, upTo, [userId, last]);
}
