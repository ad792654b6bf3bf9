import { form } from "../form.ts";
import { operation } from "../operation.ts";

/** `POST /users/me/android_gcm_reg_id` (push.md §7). */
export const addFcmToken = operation({
  id: "add-fcm-token",
  method: "POST",
  path: "/api/v1/users/me/android_gcm_reg_id",
  access: "human",
  summary: "Add an FCM registration token",
  example: { params: { token: "c0ffee" } },
  description:
    "The older way to push, which this server does not send by; a token goes when its device registers by " +
    "`POST /mobile_push/register`.",
  params: { token: form.text().describe("At most 4096 characters.") },
});
