import { form } from "../form.ts";
import { maxLongId } from "../ids.ts";
import { operation } from "../operation.ts";

/** `POST /remove_client_device` (push.md §5). */
export const removeClientDevice = operation({
  id: "remove-client-device",
  method: "POST",
  path: "/api/v1/remove_client_device",
  access: "human",
  summary: "Remove a registered device",
  example: {
    made: { DEVICE_ID: ["register-client-device", "device_id"] },
    params: { device_id: "$DEVICE_ID" },
  },
  params: { device_id: form.id({ max: maxLongId }).describe("One of the caller's own.") },
});
