import { z } from "zod";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `DELETE /users/{user_id}` (users.md §4). */
export const deactivateUser = operation({
  id: "deactivate-user",
  method: "DELETE",
  path: "/api/v1/users/{user_id}",
  access: "administrator",
  accessError: "BAD_REQUEST",
  summary: "Deactivate a user",
  example: { made: { USER_ID: ["create-user", "user_id"] }, path: { user_id: "$USER_ID" } },
  description:
    "For administrators of the organization. The user's bots are deactivated first, each by itself: a request that " +
    "fails halfway is repeated. When it is answered, no key of theirs works any more. Bots have an operation of their own.",
  pathParams: { user_id: path.int() },
  params: {
    actions: form
      .json(
        z.object({
          delete_profile: z.boolean().default(false),
          delete_public_channel_messages: z.boolean().default(false),
          delete_private_channel_messages: z.boolean().default(false),
          delete_direct_messages: z.boolean().default(false),
        }),
      )
      .optional()
      .describe(
        "What to delete of the user and of their bots. Messages are those that they have sent: they are deleted in the " +
          "background, with everybody's copies, also where the account is active again by then.",
      ),
    deactivation_notification_comment: form
      .text()
      .optional()
      .describe(
        "At most 2000 characters. Without it the user is told nothing; with it, blank or not, they get a mail to their " +
          "delivery address, with the comment.",
      ),
  },
  errors: ["UNAUTHORIZED_PRINCIPAL"],
});
