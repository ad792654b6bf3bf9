import { z } from "zod";
import { operation } from "../operation.ts";
import { profileFieldObject } from "./profile-field-object.ts";

/** `GET /realm/profile_fields` (settings-and-profile-fields.md §2.2). */
export const listProfileFields = operation({
  id: "list-profile-fields",
  method: "GET",
  path: "/api/v1/realm/profile_fields",
  access: "account",
  summary: "Get all custom profile fields",
  description: "All of the organization, in their order.",
  result: { custom_fields: z.array(profileFieldObject) },
});
