import { z } from "zod";
import { bounds } from "../bounds.ts";
import { operation } from "../operation.ts";

/** `POST /register_client_device` (push.md §5). */
export const registerClientDevice = operation({
  id: "register-client-device",
  method: "POST",
  path: "/api/v1/register_client_device",
  access: "human",
  summary: "Register a logged-in device",
  description:
    "For each log-in of a client, before `POST /mobile_push/register`. " +
    `An account has ${bounds.devices} devices at most: the one that has gone unused for longest makes room for another.`,
  result: { device_id: z.int() },
});
