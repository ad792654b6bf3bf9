import * as z from "zod";
import { form } from "../primitives/form.ts";
import { maxLongId } from "../primitives/ids.ts";
import { operation } from "../primitives/operation.ts";

/** Maximum number of devices of one account: a further one replaces the oldest. */
export const maxDevices = 100;

/** Maximum number of legacy push tokens of one account: a further one replaces the oldest. */
export const maxLegacyPushTokens = 100;

/** Maximum length of `bouncer_public_key`, in characters. */
export const maxBouncerPublicKeyLength = 1_000;

/** Maximum length of `encrypted_push_registration`, in characters: a sealed token has up to 4,096. */
export const maxEncryptedRegistrationLength = 20_000;

/** A device in answers (push.md §5). Token ids are Base64. */
export const deviceObject = z.strictObject({
  push_key_id: z.int().nullable(),
  push_token_id: z.string().nullable(),
  pending_push_token_id: z.string().nullable(),
  /** UNIX seconds */
  push_token_last_updated_timestamp: z.int().nullable(),
  push_registration_error_code: z.string().nullable(),
});

export type DeviceObject = z.output<typeof deviceObject>;

/** `POST /register_client_device` (push.md §5). */
export const registerClientDevice = operation({
  id: "register-client-device",
  method: "POST",
  path: "/api/v1/register_client_device",
  access: "human",
  idempotencyKey: true,
  summary: "Register a logged-in device",
  description:
    "Clients call this after each login, before `POST /mobile_push/register`. " +
    `An account has at most ${maxDevices} devices: a further one replaces the one that has been unused for longest.`,
  result: { device_id: z.int() },
});

/**
 * `POST /mobile_push/register` (push.md §2). The action checks the texts, after other checks and only if it uses
 * them.
 */
export const registerPushDevice = operation({
  id: "register-push-device",
  method: "POST",
  path: "/api/v1/mobile_push/register",
  access: "human",
  idempotencyKey: true,
  summary: "Register a device for end-to-end encrypted push notifications",
  example: {
    made: { DEVICE_ID: ["register-client-device", "device_id"] },
    params: { device_id: "$DEVICE_ID" },
    refused: [400, "no push service is configured"],
  },
  description:
    "`push_key` and `push_key_id` belong together, and so do the four other parameters of the token: at least one of the " +
    "two groups has to be complete, for a device's first registration both. The server passes the token on to the push " +
    "service later, and reports the result in `device` events.",
  params: {
    device_id: form.id({ max: maxLongId }).describe("ID of a device of the caller."),
    push_key_id: form.int({ min: 0, max: 4_294_967_295 }).optional(),
    push_key: form
      .text({ anyText: true })
      .optional()
      .describe("Base64 of 33 bytes; the first byte is 0x31."),
    token_kind: form.oneOf("fcm", "apns").optional(),
    token_id: form.text({ anyText: true }).optional().describe("Base64 of 8 bytes."),
    bouncer_public_key: form
      .text({ anyText: true })
      .optional()
      .describe(`Passed on unchanged; at most ${maxBouncerPublicKeyLength} characters.`),
    encrypted_push_registration: form
      .text({ anyText: true })
      .optional()
      .describe(`Passed on unchanged; at most ${maxEncryptedRegistrationLength} characters.`),
  },
  errors: ["PUSH_SERVICE_NOT_CONFIGURED"],
});

/** `POST /remove_client_device` (push.md §5). */
export const removeClientDevice = operation({
  id: "remove-client-device",
  method: "POST",
  path: "/api/v1/remove_client_device",
  access: "human",
  idempotencyKey: true,
  summary: "Remove a registered device",
  example: {
    made: { DEVICE_ID: ["register-client-device", "device_id"] },
    params: { device_id: "$DEVICE_ID" },
  },
  params: { device_id: form.id({ max: maxLongId }).describe("ID of a device of the caller.") },
});

/** `POST /mobile_push/e2ee/test_notification` (push.md §6). */
export const sendTestNotification = operation({
  id: "send-test-notification",
  method: "POST",
  path: "/api/v1/mobile_push/e2ee/test_notification",
  access: "human",
  summary: "Send a test notification",
  example: { refused: [400, "no push service is configured"] },
  description:
    "Sends to the caller's devices that the push service has acknowledged. The answer comes when the push service has accepted or refused the notification.",
  params: {
    device_id: form
      .id({ max: maxLongId })
      .optional()
      .describe("ID of a device of the caller; all devices unless given."),
  },
  errors: [
    "PUSH_SERVICE_NOT_CONFIGURED",
    "NO_ACTIVE_PUSH_DEVICE",
    "FAILED_TO_CONNECT_BOUNCER",
    "INTERNAL_SERVER_ERROR_ON_BOUNCER",
    "ADMIN_ACTION_REQUIRED",
  ],
});

/** `POST /users/me/apns_device_token` (push.md §7). */
export const addApnsToken = operation({
  id: "add-apns-token",
  method: "POST",
  path: "/api/v1/users/me/apns_device_token",
  access: "human",
  idempotencyKey: true,
  summary: "Add an APNs device token",
  example: { params: { token: "c0ffee", appid: "test.carillon.app" } },
  params: {
    token: form.text().describe("Hexadecimal digits, at most 4096, in upper or lower case."),
    appid: form.text().describe("The app's bundle identifier: letters, digits, dots and hyphens."),
  },
  description:
    "Registers for an older kind of push, which this server does not send. The token is removed when its device registers with `POST /mobile_push/register`.",
});

/** `DELETE /users/me/apns_device_token` (push.md §7). */
export const removeApnsToken = operation({
  id: "remove-apns-token",
  method: "DELETE",
  path: "/api/v1/users/me/apns_device_token",
  access: "human",
  idempotencyKey: true,
  summary: "Remove an APNs device token",
  example: { params: { token: "c0ffee" } },
  params: {
    token: form.text().describe("Hexadecimal digits, at most 4096, in upper or lower case."),
  },
});

/** `POST /users/me/android_gcm_reg_id` (push.md §7). */
export const addFcmToken = operation({
  id: "add-fcm-token",
  method: "POST",
  path: "/api/v1/users/me/android_gcm_reg_id",
  access: "human",
  idempotencyKey: true,
  summary: "Add an FCM registration token",
  example: { params: { token: "c0ffee" } },
  description:
    "Registers for an older kind of push, which this server does not send. The token is removed when its device registers with `POST /mobile_push/register`.",
  params: { token: form.text().describe("At most 4096 characters.") },
});

/** `DELETE /users/me/android_gcm_reg_id` (push.md §7). */
export const removeFcmToken = operation({
  id: "remove-fcm-token",
  method: "DELETE",
  path: "/api/v1/users/me/android_gcm_reg_id",
  access: "human",
  idempotencyKey: true,
  summary: "Remove an FCM registration token",
  example: { params: { token: "c0ffee" } },
  params: { token: form.text().describe("At most 4096 characters.") },
});
