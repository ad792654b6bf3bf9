import { bounds, errors, type InputOf, type registerPushDevice } from "@carillon/contract";
import { strictBase64 } from "@carillon/kit";
import type { PushTokenKind } from "@carillon/model";

/** What a client sends to register a device for push (push.md §2). */
export type GivenRegistration = InputOf<typeof registerPushDevice>;

/** A key that notifications are encrypted with, as sent. */
export interface GivenKey {
  readonly id: number;
  readonly key: string;
}

/** How the push bouncer reaches the device, as sent. */
export interface GivenToken {
  readonly kind: PushTokenKind;
  readonly id: string;
  readonly bouncerPublicKey: string;
  readonly encryptedRegistration: string;
}

/** The key, where everything of it is there. */
export function givenKey({ push_key_id: id, push_key: key }: GivenRegistration) {
  return id === undefined || key === undefined ? undefined : { id, key };
}

/** The token, where everything of it is there. */
export function givenToken({
  token_kind: kind,
  token_id: id,
  bouncer_public_key: bouncerPublicKey,
  encrypted_push_registration: encryptedRegistration,
}: GivenRegistration): GivenToken | undefined {
  if (kind === undefined || id === undefined) return undefined;
  if (bouncerPublicKey === undefined || encryptedRegistration === undefined) return undefined;
  return { kind, id, bouncerPublicKey, encryptedRegistration };
}

const keyBytes = 33;
/** The first byte: which encryption the key is for. */
const keyVersion = 0x31;

/** @throws ApiError `BAD_REQUEST` */
export function checkedKey({ key }: GivenKey): Buffer {
  const bytes = strictBase64(key, keyBytes);
  if (bytes?.[0] !== keyVersion)
    throw errors.badRequest("push_key must be the Base64 of 33 bytes, of which the first is 0x31");
  return bytes;
}

/** @throws ApiError `BAD_REQUEST` */
export function checkedTokenId({ id }: GivenToken): Buffer {
  const bytes = strictBase64(id, 8);
  if (!bytes) throw errors.badRequest("token_id must be the Base64 of 8 bytes");
  return bytes;
}

/**
 * What is passed on to the bouncer is not ours to judge, but it has to be kept until then.
 * @throws ApiError `BAD_REQUEST` for a text that is too long, or has a character that no column can hold
 */
export function checkOpaque({ bouncerPublicKey, encryptedRegistration }: GivenToken): void {
  const texts = [
    ["bouncer_public_key", bouncerPublicKey, bounds.bouncerPublicKey],
    ["encrypted_push_registration", encryptedRegistration, bounds.encryptedPushRegistration],
  ] as const;
  for (const [name, text, most] of texts) {
    if (text.length > most) throw errors.badRequest(`${name} must have ${most} characters at most`);
    if (text.includes("\0")) throw errors.badRequest(`${name} must not contain U+0000`);
  }
}
