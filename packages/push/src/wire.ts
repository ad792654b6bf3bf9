import * as z from "zod";

/* The wire format between a server and its bouncer (push.md §4): packages/push/src/client.ts sends it, and apps/bouncer validates requests with it.
 */

/** Paths below the bouncer's URL. */
export const bouncerPaths = {
  register: "/api/v1/remotes/push/e2ee/register",
  notify: "/api/v1/remotes/push/e2ee/notify",
} as const;

/** The header by which a bouncer recognizes a repeated call. */
export const idempotencyHeader = "idempotency-key";

const encrypted = {
  /** Id of the device's key. */
  push_key_id: z.int().min(0).max(4_294_967_295),
  /** Base64: nonce and box. */
  encrypted_data: z.string(),
};

/** A notification for one device with a token of Firebase Cloud Messaging. */
const fcmRequest = z.object({
  token_id: z.string(),
  fcm_priority: z.enum(["high", "normal"]),
  payload: z.object(encrypted),
});

/** A notification for one Apple device. */
const apnsRequest = z.object({
  token_id: z.string(),
  http_headers: z.object({
    apns_priority: z.union([z.literal(10), z.literal(5)]),
    apns_push_type: z.enum(["alert", "background"]),
  }),
  payload: z.object({
    ...encrypted,
    aps: z.object({
      "mutable-content": z.literal(1),
      alert: z.object({ title: z.literal("New notification") }),
    }),
  }),
});

export const pushRequest = z.union([apnsRequest, fcmRequest]);

export type PushRequest = z.infer<typeof pushRequest>;

/** The JSON body of `push/e2ee/notify`. */
export const notifyBody = z.object({
  realm_uuid: z.string(),
  push_requests: z.array(pushRequest),
});

export type NotifyBody = z.infer<typeof notifyBody>;

/** The bouncer's answer to `push/e2ee/notify`, in addition to `result` and `msg`. */
export const notifyAnswer = z.object({
  android_successfully_sent_count: z.int().min(0),
  apple_successfully_sent_count: z.int().min(0),
  /** Ids of dead tokens, in Base64. */
  delete_token_ids: z.array(z.string()),
  /** Whether the organization may continue to push, and until when (UNIX seconds; null: no known end). */
  realm_push_status: z
    .object({ can_push: z.boolean(), expected_end_timestamp: z.int().nullable() })
    .nullish(),
});

export type NotifyAnswer = z.infer<typeof notifyAnswer>;
