import { form } from "../form.ts";
import { operation } from "../operation.ts";

/** `DELETE /users/me/android_gcm_reg_id` (push.md §7). */
export const removeFcmToken = operation({
  id: "remove-fcm-token",
  method: "DELETE",
  path: "/api/v1/users/me/android_gcm_reg_id",
  access: "human",
  summary: "Remove an FCM registration token",
  example: { params: { token: "c0ffee" } },
  params: { token: form.text().describe("At most 4096 characters.") },
});
