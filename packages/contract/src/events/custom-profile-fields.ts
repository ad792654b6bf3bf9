import { z } from "zod";
import { profileFieldObject } from "../operations/profile-fields.ts";
import { event } from "./event.ts";

export const profileFieldsChanged = event({
  type: "custom_profile_fields",
  about:
    "The custom profile fields: all of them. Values of fields and of dropdown choices that are not among them any more are gone.",
  to: "everybody",
  fields: { fields: z.array(profileFieldObject) },
});
