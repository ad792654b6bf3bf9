import { form } from "../form.ts";
import { operation } from "../operation.ts";

/** `POST /users/me/apns_device_token` (push.md §7). */
export const addApnsToken = operation({
  id: "add-apns-token",
  method: "POST",
  path: "/api/v1/users/me/apns_device_token",
  access: "human",
  summary: "Add an APNs device token",
  example: { params: { token: "c0ffee", appid: "test.carillon.app" } },
  params: {
    token: form.text().describe("Hexadecimal digits, at most 4096, in upper or lower case."),
    appid: form.text().describe("The app's bundle identifier: letters, digits, dots and hyphens."),
  },
  description:
    "The older way to push, which this server does not send by; a token goes when its device registers by " +
    "`POST /mobile_push/register`.",
});
