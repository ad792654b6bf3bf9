import { form } from "../form.ts";
import { maxLongId } from "../ids.ts";
import { operation } from "../operation.ts";

/** `POST /mobile_push/e2ee/test_notification` (push.md §6). */
export const sendTestNotification = operation({
  id: "send-test-notification",
  method: "POST",
  path: "/api/v1/mobile_push/e2ee/test_notification",
  access: "human",
  summary: "Send a test notification",
  example: { refused: [400, "no push service is configured"] },
  description:
    "To the caller's devices that the push service has acknowledged. It is answered when the push service has taken the " +
    "notification over, or has not.",
  params: {
    device_id: form
      .id({ max: maxLongId })
      .optional()
      .describe("One of the caller's own; without it, all of them."),
  },
  errors: [
    "PUSH_SERVICE_NOT_CONFIGURED",
    "NO_ACTIVE_PUSH_DEVICE",
    "FAILED_TO_CONNECT_BOUNCER",
    "INTERNAL_SERVER_ERROR_ON_BOUNCER",
    "ADMIN_ACTION_REQUIRED",
  ],
});
