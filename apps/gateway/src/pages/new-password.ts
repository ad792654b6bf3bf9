import { passwordLength } from "@carillon/domain";

import type { Html } from "@carillon/kit";
import { textField } from "../http/form-fields.ts";

/** Makes the field for a new password (people.md §4). */
export function newPasswordField(problem?: string): Html {
  const { min, max } = passwordLength;
  return textField({
    name: "password",
    label: "New password",
    type: "password",
    autocomplete: "new-password",
    hint: `From ${min} to ${max} characters, and hard to guess: several words that do not belong together are good.`,
    problem,
  });
}
