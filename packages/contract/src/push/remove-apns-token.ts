import { form } from "../form.ts";
import { operation } from "../operation.ts";

/** `DELETE /users/me/apns_device_token` (push.md §7). */
export const removeApnsToken = operation({
  id: "remove-apns-token",
  method: "DELETE",
  path: "/api/v1/users/me/apns_device_token",
  access: "human",
  summary: "Remove an APNs device token",
  example: { params: { token: "c0ffee" } },
  params: {
    token: form.text().describe("Hexadecimal digits, at most 4096, in upper or lower case."),
  },
});
