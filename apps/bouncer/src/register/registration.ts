import { createHash } from "node:crypto";
import * as z from "zod";
import { type BouncerKeys, openSealed } from "@carillon/push";
import { refusals } from "../http/refusal.ts";
import type { Registration } from "../store/registrations.ts";

/** How long a registration is valid, in seconds (push.md §3). */
const validForSeconds = 86_400;
/** How far ahead a device's clock may be, in seconds. */
const aheadSeconds = 900;

/** Content of an encrypted registration. It may have more fields. */
const content = z.discriminatedUnion("token_kind", [
  z.object({
    token_kind: z.literal("fcm"),
    token: z.string().min(1).max(4_096),
    timestamp: z.number(),
  }),
  z.object({
    token_kind: z.literal("apns"),
    token: z.string().regex(/^(?:[0-9a-f]{2}){1,2048}$/i),
    timestamp: z.number(),
    ios_app_id: z.string().regex(/^[.A-Za-z0-9-]{1,255}$/),
  }),
]);

/** Returns a token's id: the first 8 bytes of its SHA-256. */
function tokenIdOf(token: string): Buffer {
  return createHash("sha256").update(token).digest().subarray(0, 8);
}

/**
 * Decrypts and validates a device's registration.
 * @param now UNIX milliseconds
 * @throws Refusal
 */
export async function openRegistration(
  keys: BouncerKeys,
  sealed: Uint8Array,
  tokenId: Uint8Array,
  now: number,
): Promise<Registration> {
  const opened = await openSealed(keys, sealed);
  if (!opened)
    throw refusals.badRequest("encrypted_push_registration was not sealed for bouncer_public_key");
  const found = content.safeParse(json(opened)).data;
  if (!found)
    throw refusals.badRequest(
      "encrypted_push_registration is not JSON of token, token_kind, timestamp and, for apns, ios_app_id",
    );
  const ageSeconds = now / 1_000 - found.timestamp;
  if (ageSeconds > validForSeconds || ageSeconds < -aheadSeconds) throw refusals.expired();
  if (!tokenIdOf(found.token).equals(tokenId))
    throw refusals.badRequest("token_id does not match the token");
  const { token_kind: kind, token } = found;
  return { kind, token, iosAppId: found.token_kind === "apns" ? found.ios_app_id : null };
}

function json(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}
