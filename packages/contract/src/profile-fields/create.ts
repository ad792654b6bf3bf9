import { z } from "zod";
import { bounds } from "../bounds.ts";
import { oneInteger } from "../one-integer.ts";
import { operation } from "../operation.ts";
import { profileFieldParameters } from "./field-parameters.ts";

/** `POST /realm/profile_fields` (settings-and-profile-fields.md §2.3). */
export const createProfileField = operation({
  id: "create-profile-field",
  method: "POST",
  path: "/api/v1/realm/profile_fields",
  access: "administrator",
  summary: "Create a custom profile field",
  example: { params: { name: "Pronouns $RANDOM", field_type: 1 } },
  description: `It is the last in the order. An organization has at most ${bounds.profileFields}.`,
  params: {
    field_type: oneInteger([1, 2, 3, 4, 5, 6, 7, 8]).describe(
      "1 short text, 2 paragraph, 3 dropdown, 4 date, 5 link, 6 users, 7 external account, 8 pronouns.",
    ),
    ...profileFieldParameters,
  },
  result: { id: z.int() },
});
