import { form } from "../form.ts";
import { oneInteger } from "../one-integer.ts";
import { profileEntries } from "../profile-fields/profile-entries.ts";
import { roles } from "../roles.ts";

/** What an administrator may change of an account (users.md §3), in the order in which it is checked. */
export const updateUserParameters = {
  role: oneInteger(Object.values(roles))
    .optional()
    .describe("Only owners give or take the owner's role; a guest becomes a member first."),
  full_name: form.text().optional().describe("1 to 100 characters; a blank one changes nothing."),
  profile_data: profileEntries.optional(),
  new_email: form
    .text()
    .optional()
    .describe("For owners whose account may change e-mail addresses; in effect at once."),
};

/** The same for the reference. */
export const updateUserDescription =
  "For administrators of the organization. Any account can be changed, bots and deactivated ones too; everything is " +
  "changed or nothing.";
