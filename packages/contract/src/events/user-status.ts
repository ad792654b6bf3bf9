import { z } from "zod";
import { statusObject } from "../operations/user-status.ts";
import { event } from "./event.ts";

export const userStatusChanged = event({
  type: "user_status",
  about: "A user's status changed: the event has only the changed fields.",
  to: "some",
  receivers: "all users who see the account",
  fields: { user_id: z.int(), ...statusObject.shape },
});
