import * as z from "zod";
import { intentJob } from "../intent-job.ts";
import { backoff } from "../retry.ts";

/** Attempts continue for about a day; later the bouncer would refuse what the device has encrypted (push.md §3). */
export const registerPushToken = intentJob({
  name: "register-push-token",
  title: "Registration of a device",
  queue: "bouncer",
  about: "Registers a device's push token with the push bouncer.",
  /**
   * `registrationId`: the row with the data for the bouncer; a newer row means that the device has registered again.
   */
  intent: z.strictObject({
    deviceId: z.int().positive(),
    registrationId: z.int().positive(),
  }),
  retry: backoff({ attempts: 400, first: "3s", cap: "10m", jitter: 0.5 }),
  deadline: "25s",
});
