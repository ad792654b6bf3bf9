import { z } from "zod";
import { deviceObject } from "../operations/push.ts";
import { event } from "./event.ts";

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
  about: "The registration of a device for push is different: only the fields that are.",
  fields: { device_id: z.int(), ...deviceObject.partial().shape },
});

export const deviceRemoved = event({
  ...toOwner,
  op: "remove",
  about: "A device is gone.",
  fields: { device_id: z.int() },
});
