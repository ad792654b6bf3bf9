import { bounds } from "../bounds.ts";
import { form } from "../form.ts";
import { maxLongId } from "../ids.ts";
import { operation } from "../operation.ts";

/**
 * `POST /mobile_push/register` (push.md §2). The texts are looked at after other things, and only where they are used: they
 * may be anything until then.
 */
export const registerPushDevice = operation({
  id: "register-push-device",
  method: "POST",
  path: "/api/v1/mobile_push/register",
  access: "human",
  summary: "Register a device for end-to-end encrypted push notifications",
  example: {
    made: { DEVICE_ID: ["register-client-device", "device_id"] },
    params: { device_id: "$DEVICE_ID" },
    refused: [400, "no push service is configured"],
  },
  description:
    "`push_key` and `push_key_id` belong together, and so do the four other parameters of the token: at least one of the " +
    "two groups has to be complete, for a device's first registration both. The server passes the token on to the push " +
    "service later, and tells of that with `device` events.",
  params: {
    device_id: form.id({ max: maxLongId }).describe("One of the caller's own."),
    push_key_id: form.int({ min: 0, max: 4_294_967_295 }).optional(),
    push_key: form
      .text({ anyText: true })
      .optional()
      .describe("Base64 of 33 bytes, of which the first is 0x31."),
    token_kind: form.oneOf("fcm", "apns").optional(),
    token_id: form.text({ anyText: true }).optional().describe("Base64 of 8 bytes."),
    bouncer_public_key: form
      .text({ anyText: true })
      .optional()
      .describe(`Passed on as it is; at most ${bounds.bouncerPublicKey} characters.`),
    encrypted_push_registration: form
      .text({ anyText: true })
      .optional()
      .describe(`Passed on as it is; at most ${bounds.encryptedPushRegistration} characters.`),
  },
  errors: ["PUSH_SERVICE_NOT_CONFIGURED"],
});
