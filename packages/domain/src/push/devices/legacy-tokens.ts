import { createHash } from "node:crypto";

import { errors, maxLegacyPushTokens } from "@carillon/contract";
import { column, statement, type Tx } from "@carillon/db";
import { forgetLegacyTokens } from "@carillon/jobs";
import { isLongerThan } from "@carillon/kit";
import { type Account, lockAccount, type PushTokenKind } from "@carillon/model";
import { recordIntents } from "@carillon/outbox";

/** A push token of the time before devices, as a client names it (push.md §7). */
interface LegacyToken {
  readonly kind: PushTokenKind;
  readonly token: string;
}

/** Unicode code points */
const longestToken = 4_096;
/** Apple's identifiers of apps have 155 at most. */
const longestAppId = 255;

/**
 * One that is stored already becomes the newest, so that a removal of those that were there before, which a worker has not
 * done yet, leaves it.
 */
const store = statement({
  name: "legacy-push-token-store",
  text: `INSERT INTO legacy_push_tokens AS t (user_id, kind, token, token_digest, ios_app_id) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (user_id, kind, token_digest) DO UPDATE SET id = DEFAULT`,
  row: {},
});

const remove = statement({
  name: "legacy-push-token-remove",
  text: `DELETE FROM legacy_push_tokens WHERE user_id = $1 AND kind = $2 AND token_digest = $3 RETURNING id`,
  row: { id: column.bigint },
});

const removeSurplus = statement({
  name: "legacy-push-tokens-remove-surplus",
  text: `WITH held AS MATERIALIZED (
      SELECT id FROM legacy_push_tokens WHERE id = ANY(ARRAY(
        SELECT id FROM legacy_push_tokens WHERE user_id = $1 ORDER BY id DESC OFFSET $2))
      ORDER BY id FOR NO KEY UPDATE
    ) DELETE FROM legacy_push_tokens t USING held WHERE t.id = held.id RETURNING t.id`,
  row: { id: column.bigint },
});

/**
 * Stores a token. At the bound the oldest one goes.
 * @param appId of an APNs token
 * @throws ApiError `BAD_REQUEST` for an unusable token or id, `UNAUTHORIZED` when the account is deactivated by now
 */
export async function addLegacyToken(
  tx: Tx,
  actor: Account,
  { kind, token }: LegacyToken,
  appId?: string,
): Promise<void> {
  if (token === "" || isLongerThan(token, longestToken))
    throw errors.badRequest(`token must have 1 to ${longestToken} characters`);
  if (kind === "apns" && !/^([0-9a-f]{2})+$/i.test(token))
    throw errors.badRequest("token must be an even number of hexadecimal digits");
  if (appId !== undefined && (!/^[.A-Za-z0-9-]+$/.test(appId) || appId.length > longestAppId))
    throw errors.badRequest(
      `appid must have 1 to ${longestAppId} letters, digits, dots and hyphens`,
    );
  const account = await lockAccount(tx, actor.realmId, actor.id);
  if (!account?.isActive) throw errors.unauthorized();
  const values = [actor.id, kind, token, digestOf({ kind, token }), appId ?? null];
  await tx.lock({ name: "legacyPushTokens", fresh: true }, store, values);
  const surplus = [actor.id, maxLegacyPushTokens];
  await tx.lock({ name: "legacyPushTokens", fresh: true }, removeSurplus, surplus);
}

/** @throws ApiError `BAD_REQUEST` where the account has not stored the token */
export async function removeLegacyToken(tx: Tx, actor: Account, token: LegacyToken): Promise<void> {
  const gone = await tx.lock({ name: "legacyPushTokens" }, remove, [
    actor.id,
    token.kind,
    digestOf(token),
  ]);
  if (gone.length === 0) throw errors.badRequest("You have not registered this token");
}

/** Tokens of Apple's are the same in upper and lower case. */
function digestOf({ kind, token }: LegacyToken): Buffer {
  return createHash("sha256")
    .update(kind === "apns" ? token.toLowerCase() : token)
    .digest();
}

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

const newest = statement({
  name: "legacy-push-token-newest",
  text: "SELECT id FROM legacy_push_tokens WHERE user_id = $1 ORDER BY id DESC LIMIT 1",
  row: { id: column.bigint },
});

/**
 * Writes down that the tokens which were stored with the account's old API key are to go (push.md §5); what is stored with
 * the new one is later, and stays.
 * @param account in the hands of the transaction
 */
export async function recordForgetting(tx: Tx, { id, realmId }: Account): Promise<void> {
  const last = await tx.first(newest, [id]);
  if (!last) return;
  await recordIntents(tx, realmId, forgetLegacyTokens, [
    { key: `${id}-${last.id}`, payload: { userId: id, upTo: last.id } },
  ]);
}
