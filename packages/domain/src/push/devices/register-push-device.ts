import {
  errors,
  type InputOf,
  maxBouncerPublicKeyLength,
  maxEncryptedRegistrationLength,
  type registerPushDevice as registration,
} from "@carillon/contract";
import { notNull, statement, type Tx } from "@carillon/db";
import { registerPushToken } from "@carillon/jobs";
import { strictBase64 } from "@carillon/kit";
import {
  type Account,
  deviceState,
  lockDevice,
  type PushDevice,
  type PushTokenKind,
  type Site,
} from "@carillon/model";
import { recordIntents } from "@carillon/outbox";

import { base64, noSuchDevice, emitDeviceEvent, unixSeconds } from "./devices.ts";

/**
 * Stores a device's push key, its token, or both, and records a job that registers the token with the push bouncer
 * (push.md §2). Locks the device's row before reading it, so that of two concurrent requests the second finds the first
 * one's registration pending.
 * @throws ApiError `PUSH_SERVICE_NOT_CONFIGURED`, `BAD_REQUEST`
 */
export async function registerPushDevice(
  tx: Tx,
  site: Site,
  actor: Account,
  given: GivenRegistration,
): Promise<void> {
  if (!site.pushConfigured) throw errors.pushServiceNotConfigured();
  const device = await lockDevice(tx, actor.id, given.device_id);
  if (!device) throw noSuchDevice();
  const [key, token] = [givenKey(given), givenToken(given)];
  if (token) await registerToken(tx, actor, device, token, key);
  else if (key) await rotateKey(tx, actor, device, key);
  else throw incomplete();
}

/** Works also while a token is pending: the bouncer does not use the key. */
async function rotateKey(
  tx: Tx,
  actor: Account,
  device: PushDevice,
  given: GivenKey,
): Promise<void> {
  if (device.pushKeyId === null) throw neverRegistered();
  const key = checkedKey(given);
  if (hasKey(device, { id: given.id, key })) return;
  const prisma = await tx.prisma();
  await prisma.clientDevice.update({
    where: { id: device.id },
    data: { pushKey: Uint8Array.from(key), pushKeyId: given.id },
    select: { id: true },
  });
  emitDeviceEvent.updated(tx, actor, device.id, { push_key_id: given.id });
}

/**
 * The texts for the bouncer are stored in a separate row until it answers, so that no job or log contains them. The row
 * of a failed registration is reused, with a new id.
 */
const storeToken = statement({
  name: "device-store-pending-token",
  text: `WITH device AS (
      UPDATE client_devices SET push_key = coalesce($2, push_key), push_key_id = coalesce($3, push_key_id),
        pending_push_token_id = $4, pending_push_token_kind = $5, push_token_last_updated = now(),
        push_registration_error_code = NULL
      WHERE id = $1 RETURNING push_token_last_updated
    ), registration AS (
      INSERT INTO push_registrations (device_id, bouncer_public_key, encrypted_registration) VALUES ($1, $6, $7)
      ON CONFLICT (device_id) DO UPDATE SET id = DEFAULT, created_at = DEFAULT,
        bouncer_public_key = excluded.bouncer_public_key, encrypted_registration = excluded.encrypted_registration
      RETURNING id
    )
    SELECT registration.id, device.push_token_last_updated AS "updatedAt" FROM device, registration`,
  overrides: { updatedAt: notNull },
});

async function registerToken(
  tx: Tx,
  actor: Account,
  device: PushDevice,
  token: GivenToken,
  newKey: GivenKey | undefined,
): Promise<void> {
  if (deviceState(device) === "pending")
    throw errors.badRequest(
      "A registration of this device is in progress: wait until it has ended",
    );
  const tokenId = checkedTokenId(token);
  if (!newKey && device.pushKeyId === null) throw neverRegistered();
  const key = newKey && { id: newKey.id, key: checkedKey(newKey) };
  const hasToken = deviceState(device) === "active" && device.pushTokenId?.equals(tokenId);
  const keeps = key ? hasKey(device, key) && device.pushTokenKind === token.kind : true;
  if (hasToken && keeps) return;
  checkOpaque(token);
  const [stored] = await tx.rows(storeToken, [
    device.id,
    key?.key ?? null,
    key?.id ?? null,
    tokenId,
    token.kind,
    token.bouncerPublicKey,
    token.encryptedRegistration,
  ]);
  if (!stored) throw new Error("a registration was not stored");
  const payload = { deviceId: device.id, registrationId: stored.id };
  await recordIntents(tx, actor.realmId, registerPushToken, [{ key: String(stored.id), payload }]);
  emitDeviceEvent.updated(tx, actor, device.id, {
    ...(key ? { push_key_id: key.id } : {}),
    pending_push_token_id: base64(tokenId),
    push_token_last_updated_timestamp: unixSeconds(stored.updatedAt),
    push_registration_error_code: null,
  });
}

function hasKey(device: PushDevice, { id, key }: { id: number; key: Buffer }): boolean {
  return device.pushKeyId === id && device.pushKey?.equals(key) === true;
}

function incomplete() {
  return errors.badRequest(
    "Send push_key and push_key_id, or token_kind, token_id, bouncer_public_key and encrypted_push_registration, or all of them",
  );
}

function neverRegistered() {
  return errors.badRequest("A device's first registration takes both a push key and a token");
}

/** A client's request to register a device for push (push.md §2). */
type GivenRegistration = InputOf<typeof registration>;

/** The key for encrypting notifications, as sent. */
interface GivenKey {
  readonly id: number;
  readonly key: string;
}

/** The token and the data for the push bouncer, as sent. */
interface GivenToken {
  readonly kind: PushTokenKind;
  readonly id: string;
  readonly bouncerPublicKey: string;
  readonly encryptedRegistration: string;
}

/** Returns the key if the request contains all of its fields. */
function givenKey({ push_key_id: id, push_key: key }: GivenRegistration) {
  return id === undefined || key === undefined ? undefined : { id, key };
}

/** Returns the token if the request contains all of its fields. */
function givenToken({
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
/** The first byte, which identifies the encryption. */
const keyVersion = 0x31;

/**
 * Decodes a push key.
 * @throws ApiError `BAD_REQUEST` if it is invalid
 */
function checkedKey({ key }: GivenKey): Buffer {
  const bytes = strictBase64(key, keyBytes);
  if (bytes?.[0] !== keyVersion)
    throw errors.badRequest(
      "push_key must be the Base64 of 33 bytes, and the first byte must be 0x31",
    );
  return bytes;
}

/**
 * Decodes a token's id.
 * @throws ApiError `BAD_REQUEST` if it is invalid
 */
function checkedTokenId({ id }: GivenToken): Buffer {
  const bytes = strictBase64(id, 8);
  if (!bytes) throw errors.badRequest("token_id must be the Base64 of 8 bytes");
  return bytes;
}

/**
 * Checks only that the texts for the bouncer can be stored.
 * @throws ApiError `BAD_REQUEST` for a text that is too long or contains U+0000
 */
function checkOpaque({ bouncerPublicKey, encryptedRegistration }: GivenToken): void {
  const texts = [
    ["bouncer_public_key", bouncerPublicKey, maxBouncerPublicKeyLength],
    ["encrypted_push_registration", encryptedRegistration, maxEncryptedRegistrationLength],
  ] as const;
  for (const [name, text, maxLength] of texts) {
    if (text.length > maxLength)
      throw errors.badRequest(`${name} must have ${maxLength} characters at most`);
    if (text.includes("\0")) throw errors.badRequest(`${name} must not contain U+0000`);
  }
}
