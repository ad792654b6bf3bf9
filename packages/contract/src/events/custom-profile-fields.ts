import { z } from "zod";
import { profileFieldObject } from "../operations/profile-fields.ts";
import { event } from "./event.ts";

export const profileFieldsChanged = event({
  type: "custom_profile_fields",
  about:
    "The custom profile fields changed: the event has all of them. Values of fields and of dropdown choices that are missing in it have been deleted.",
  to: "everybody",
  fields: { fields: z.array(profileFieldObject) },
});
