import { passwordLength } from "@carillon/domain";

import { textField } from "../http/form-fields.ts";
import type { Html } from "../http/html.ts";

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
