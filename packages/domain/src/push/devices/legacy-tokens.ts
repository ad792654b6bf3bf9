import { createHash } from "node:crypto";

import { errors, maxLegacyPushTokens } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import { forgetLegacyTokens } from "@carillon/jobs";
import { isLongerThan } from "@carillon/kit";
import { type Account, lockAccount, type PushTokenKind } from "@carillon/model";
import { recordIntents } from "@carillon/outbox";

/** A legacy push token, registered without a device (push.md §7). */
interface LegacyToken {
  readonly kind: PushTokenKind;
  readonly token: string;
}

/** Maximum code points of a token. */
const maxTokenLength = 4_096;
/** Maximum length of an app id; Apple's are at most 155 characters. */
const maxAppIdLength = 255;

/** An existing token gets a new id, so that a pending removal of older tokens leaves it. */
const store = statement({
  name: "legacy-push-token-store",
  text: `INSERT INTO legacy_push_tokens AS t (user_id, kind, token, token_digest, ios_app_id) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (user_id, kind, token_digest) DO UPDATE SET id = DEFAULT`,
});

const remove = statement({
  name: "legacy-push-token-remove",
  text: `DELETE FROM legacy_push_tokens WHERE user_id = $1 AND kind = $2 AND token_digest = $3 RETURNING id`,
});

const removeSurplus = statement({
  name: "legacy-push-tokens-remove-surplus",
  text: `WITH held AS MATERIALIZED (
      SELECT id FROM legacy_push_tokens WHERE id = ANY(ARRAY(
        SELECT id FROM legacy_push_tokens WHERE user_id = $1 ORDER BY id DESC OFFSET $2))
      ORDER BY id FOR NO KEY UPDATE
    ) DELETE FROM legacy_push_tokens t USING held WHERE t.id = held.id RETURNING t.id`,
});

/**
 * Stores a token. At the limit, the oldest one is removed.
 * @param appId for an APNs token
 * @throws ApiError `BAD_REQUEST` for an invalid token or id, `UNAUTHORIZED` if the account has been deactivated
 */
export async function addLegacyToken(
  tx: Tx,
  actor: Account,
  { kind, token }: LegacyToken,
  appId?: string,
): Promise<void> {
  if (token === "" || isLongerThan(token, maxTokenLength))
    throw errors.badRequest(`token must have 1 to ${maxTokenLength} characters`);
  if (kind === "apns" && !/^([0-9a-f]{2})+$/i.test(token))
    throw errors.badRequest("token must be an even number of hexadecimal digits");
  if (appId !== undefined && (!/^[.A-Za-z0-9-]+$/.test(appId) || appId.length > maxAppIdLength))
    throw errors.badRequest(
      `appid must have 1 to ${maxAppIdLength} letters, digits, dots and hyphens`,
    );
  const account = await lockAccount(tx, actor.realmId, actor.id);
  if (!account?.isActive) throw errors.unauthorized();
  const values = [actor.id, kind, token, digestOf({ kind, token }), appId ?? null];
  await tx.lock({ name: "legacyPushTokens", fresh: true }, store, values);
  const surplus = [actor.id, maxLegacyPushTokens];
  await tx.lock({ name: "legacyPushTokens", fresh: true }, removeSurplus, surplus);
}

/**
 * Removes a token.
 * @throws ApiError `BAD_REQUEST` if the account has not stored it
 */
export async function removeLegacyToken(tx: Tx, actor: Account, token: LegacyToken): Promise<void> {
  const removed = await tx.lock({ name: "legacyPushTokens" }, remove, [
    actor.id,
    token.kind,
    digestOf(token),
  ]);
  if (removed.length === 0) throw errors.badRequest("You have not registered this token");
}

/** Hashes a token; APNs tokens are case-insensitive. */
function digestOf({ kind, token }: LegacyToken): Buffer {
  return createHash("sha256")
    .update(kind === "apns" ? token.toLowerCase() : token)
    .digest();
}

const byTokenId = statement({
  name: "legacy-push-tokens-of-device-remove",
  text: `WITH held AS MATERIALIZED (
      SELECT id FROM legacy_push_tokens
      WHERE user_id = $1 AND substring(sha256(convert_to(token, 'UTF8')) FROM 1 FOR 8) = $2
      ORDER BY id FOR NO KEY UPDATE
    ) DELETE FROM legacy_push_tokens t USING held WHERE t.id = held.id RETURNING t.id`,
});

/**
 * Removes the account's legacy tokens that equal a token which the push bouncer has acknowledged, so that a device gets
 * each notification once (push.md §3).
 * @param tokenId 8 bytes: the beginning of the token's SHA-256
 */
export async function removeLegacyTokens(tx: Tx, userId: number, tokenId: Buffer): Promise<void> {
  await tx.lock({ name: "legacyPushTokens" }, byTokenId, [userId, tokenId]);
}

const upTo = statement({
  name: "legacy-push-tokens-up-to-remove",
  text: `WITH held AS MATERIALIZED (
      SELECT id FROM legacy_push_tokens WHERE user_id = $1 AND id <= $2 ORDER BY id FOR NO KEY UPDATE
    ) DELETE FROM legacy_push_tokens t USING held WHERE t.id = held.id RETURNING t.id`,
});

/** Removes the account's legacy tokens with ids up to this one. @param last id of the last token to remove */
export async function removeLegacyTokensUpTo(tx: Tx, userId: number, last: number): Promise<void> {
  await tx.lock({ name: "legacyPushTokens" }, upTo, [userId, last]);
}

/**
 * Records a job that removes the legacy tokens stored with the account's old API key (push.md §5). Tokens stored later
 * stay.
 * @param account locked by the transaction
 */
export async function recordForgetting(tx: Tx, { id, realmId }: Account): Promise<void> {
  const prisma = await tx.prisma();
  const last = await prisma.legacyPushToken.findFirst({
    where: { userId: id },
    orderBy: { id: "desc" },
    select: { id: true },
  });
  if (!last) return;
  await recordIntents(tx, realmId, forgetLegacyTokens, [
    { key: `${id}-${last.id}`, payload: { userId: id, upTo: Number(last.id) } },
  ]);
}
