import * as z from "zod";
import { deviceObject } from "../operations/push.ts";
import { event } from "../primitives/event.ts";

const toOwner = { type: "device", to: "some", receivers: "the account" } as const;

export const deviceAdded = event({
  ...toOwner,
  op: "add",
  about:
    "The account has logged in with another device; all fields of its entry in `devices` are null.",
  fields: { device_id: z.int() },
});

export const deviceUpdated = event({
  ...toOwner,
  op: "update",
  about: "The push registration of a device changed: the event has only the changed fields.",
  fields: { device_id: z.int(), ...deviceObject.partial().shape },
});

export const deviceRemoved = event({
  ...toOwner,
  op: "remove",
  about: "A device was removed.",
  fields: { device_id: z.int() },
});
