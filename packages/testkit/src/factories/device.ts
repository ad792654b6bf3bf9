import type { Database, Prisma } from "@carillon/db";
import type { TestAccount } from "./account.ts";

/** A push key as a client sends it. @param fill a byte that fills its last 32 bytes */
export function pushKey(id: number, fill = 1) {
  return { push_key_id: id, push_key: pushKeyBytes(fill).toString("base64") };
}

/** A push token as a client sends it. @param fill a byte that its ID is derived from */
export function pushToken(fill: number, kind: "fcm" | "apns" = "fcm") {
  return {
    token_kind: kind,
    token_id: tokenId(fill).toString("base64"),
    bouncer_public_key: `the bouncer's key ${fill}`,
    encrypted_push_registration: `sealed ${fill}`,
  };
}

const pushKeyBytes = (fill: number) => Buffer.alloc(33, fill).fill(0x31, 0, 1);
const tokenId = (fill: number) => Buffer.alloc(8, fill);

/** Contents of a device, each derived from a byte. */
export interface DeviceContents {
  readonly key?: { readonly id: number; readonly fill?: number };
  /** The token that notifications are sent to. */
  readonly active?: number;
  readonly pending?: number;
  readonly kind?: "fcm" | "apns";
  /** The error of the pending registration, which has failed. */
  readonly error?: string;
}

/**
 * Creates a device of the account in the database; unregistered by default.
 * @returns its id
 */
export async function device(
  db: Database,
  { id: userId }: TestAccount,
  { key, active, pending, kind = "fcm", error }: DeviceContents = {},
): Promise<number> {
  const hasKey = key ?? (active !== undefined || pending !== undefined ? { id: 1 } : undefined);
  const data: Prisma.ClientDeviceUncheckedCreateInput = { userId };
  if (hasKey)
    Object.assign(data, { pushKeyId: hasKey.id, pushKey: pushKeyBytes(hasKey.fill ?? 1) });
  if (active !== undefined)
    Object.assign(data, { pushTokenId: tokenId(active), pushTokenKind: kind });
  if (pending !== undefined)
    Object.assign(data, { pendingPushTokenId: tokenId(pending), pendingPushTokenKind: kind });
  if (active !== undefined || pending !== undefined) data.pushTokenLastUpdated = new Date();
  if (error !== undefined) data.pushRegistrationErrorCode = error;
  const { id } = await db.prisma.clientDevice.create({ data, select: { id: true } });
  return Number(id);
}
