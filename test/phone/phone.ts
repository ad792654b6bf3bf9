import { createHash, randomBytes } from "node:crypto";
import { decryptPayload, seal, type TokenKind } from "@carillon/push";
import { post, type Account } from "./account.ts";

/** A notification as a provider delivers it to a phone. */
export interface Handed {
  readonly token: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** A decrypted notification (push.md §9). */
export type Notification = Readonly<Record<string, unknown>>;

/** A device in the snapshot. */
interface DeviceState {
  readonly push_token_id: string | null;
  readonly push_registration_error_code: string | null;
}

/** A phone with its provider's token and its own secret key. */
export class Phone {
  readonly account: Account;
  readonly kind: TokenKind;
  readonly token: string;
  readonly tokenId: string;
  readonly #pushKey: Uint8Array;
  readonly #pushKeyId: number;
  #deviceId = 0;

  constructor(account: Account, kind: TokenKind = "fcm") {
    this.account = account;
    this.kind = kind;
    this.token = randomBytes(32).toString("hex");
    const digest = createHash("sha256").update(this.token).digest();
    this.tokenId = digest.subarray(0, 8).toString("base64");
    // 0x31: the type of keys for libsodium's secretbox.
    this.#pushKey = Buffer.concat([Buffer.from([0x31]), randomBytes(32)]);
    this.#pushKeyId = randomBytes(4).readUInt32BE();
  }

  /**
   * Registers as a device: sends the key to the server, and the token sealed for the bouncer.
   * @param bouncerKey the bouncer's public key, Base64
   */
  async register(bouncerKey: string): Promise<void> {
    const { device_id } = await post(this.account, "register_client_device");
    this.#deviceId = Number(device_id);
    const registration = {
      token: this.token,
      token_kind: this.kind,
      timestamp: Math.floor(Date.now() / 1_000),
      ...(this.kind === "apns" && { ios_app_id: "test.carillon.phone" }),
    };
    const text = Buffer.from(JSON.stringify(registration));
    const sealed = await seal(Buffer.from(bouncerKey, "base64"), text);
    await post(this.account, "mobile_push/register", {
      device_id: this.#deviceId,
      push_key_id: this.#pushKeyId,
      push_key: Buffer.from(this.#pushKey).toString("base64"),
      token_kind: this.kind,
      token_id: this.tokenId,
      bouncer_public_key: bouncerKey,
      encrypted_push_registration: Buffer.from(sealed).toString("base64"),
    });
  }

  /**
   * Whether the bouncer has acknowledged the token.
   * @throws Error with the code when it has refused the token
   */
  async isActive(): Promise<boolean> {
    const wanted = JSON.stringify(["device"]);
    const snapshot = await post(this.account, "register", {
      event_types: wanted,
      fetch_event_types: wanted,
    });
    const devices = snapshot["devices"] as Readonly<Record<string, DeviceState>>;
    const state = devices[String(this.#deviceId)];
    if (state?.push_registration_error_code)
      throw new Error(`the registration failed: ${state.push_registration_error_code}`);
    return state?.push_token_id === this.tokenId;
  }

  /** Decrypts a notification for this phone; undefined for another phone's. */
  async open({ token, payload }: Handed): Promise<Notification | undefined> {
    // FCM delivers only strings.
    if (token !== this.token || Number(payload["push_key_id"]) !== this.#pushKeyId)
      return undefined;
    return (await decryptPayload(this.#pushKey, String(payload["encrypted_data"]))) as Notification;
  }
}
