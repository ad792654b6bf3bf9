import * as z from "zod";
import { maxAccounts } from "../primitives/bounds.ts";
import { form } from "../primitives/form.ts";
import { oneInteger } from "../primitives/one-integer.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";
import { roles } from "../primitives/roles.ts";
import { shape } from "../primitives/shape.ts";
import { profileEntries } from "./profile-fields.ts";

/** The value of a custom profile field. */
const profileValue = z.strictObject({ value: z.string(), rendered_value: z.string().optional() });

export type ProfileValue = z.input<typeof profileValue>;

/** The fields of an account as clients see it (users.md §2). */
export const userFields = {
  user_id: z.int(),
  email: z.string(),
  /** Null if the viewer may not see it. */
  delivery_email: z.string().nullable(),
  full_name: z.string(),
  role: z.int(),
  is_active: z.boolean(),
  is_bot: z.boolean(),
  is_owner: z.boolean(),
  is_admin: z.boolean(),
  is_guest: z.boolean(),
  is_imported_stub: z.boolean(),
  timezone: z.string(),
  date_joined: z.string(),
  avatar_version: z.int(),
  avatar_url: z.string().nullable(),
  /** Only when true. */
  is_deleted: z.literal(true).optional(),
  /** Only when true. */
  is_system_bot: z.literal(true).optional(),
  /** Bots only. */
  bot_type: z.int().nullable().optional(),
  /** Bots only. */
  bot_owner_id: z.int().nullable().optional(),
  /** People only, if asked for: values by field id. */
  profile_data: z.record(z.string(), profileValue).optional(),
};

export const userObject = z.strictObject(userFields);

export type UserObject = z.input<typeof userObject>;

/** Parameters of the operations that read accounts. */
const readUserParameters = {
  client_gravatar: form
    .bool()
    .default(true)
    .describe(
      "Whether `avatar_url` may be null if the client can compute the Gravatar URL itself.",
    ),
  include_custom_profile_fields: form.bool().default(false),
};

/** Fields of an account that an administrator may change (users.md §3), in the order of the checks. */
const updateUserParameters = {
  role: oneInteger(Object.values(roles))
    .optional()
    .describe(
      "Only owners may grant or remove the owner role; a guest must first become a member.",
    ),
  full_name: form.text().optional().describe("1 to 100 characters; an empty name changes nothing."),
  profile_data: profileEntries.optional(),
  new_email: form
    .text()
    .optional()
    .describe("For owners whose account may change e-mail addresses; takes effect at once."),
};

/** Description of the operations that change an account, for the reference. */
const updateUserDescription =
  "For administrators of the organization. Any account can be changed, including bots and deactivated accounts. The change is atomic.";

/** `GET /users` (users.md §2). */
export const getUsers = operation({
  id: "get-users",
  method: "GET",
  path: "/api/v1/users",
  access: "account",
  summary: "Get all users",
  description: "Includes bots and deactivated accounts.",
  params: {
    ...readUserParameters,
    user_ids: form
      .json(z.array(shape.id), { maxItems: maxAccounts })
      .optional()
      .describe("Only these users, at most 10,000; unknown IDs are skipped."),
  },
  result: { members: z.array(userObject) },
});

/** `GET /users/{user_id}` (users.md §2). */
export const getUser = operation({
  id: "get-user",
  method: "GET",
  path: "/api/v1/users/{user_id}",
  access: "account",
  summary: "Get a user",
  pathParams: { user_id: path.int() },
  params: readUserParameters,
  result: { user: userObject },
});

/** `GET /users/{email}` (users.md §2). */
export const getUserByEmail = operation({
  id: "get-user-by-email",
  method: "GET",
  path: "/api/v1/users/{email}",
  access: "account",
  summary: "Get a user by e-mail address",
  description: "The user's visible address, or the delivery address if the caller may see it.",
  pathParams: { email: path.text() },
  params: readUserParameters,
  result: { user: userObject },
});

/** `GET /users/me` (users.md §2). */
export const getOwnUser = operation({
  id: "get-own-user",
  method: "GET",
  path: "/api/v1/users/me",
  access: "account",
  summary: "Get one's own account",
  result: {
    ...userFields,
    avatar_url: z.string(),
    /** The newest message that the account has received, −1 when there is none. */
    max_message_id: z.int(),
  },
});

/** `GET /avatar/{user_id}` (clients.md §4). */
export const getAvatar = operation({
  id: "get-avatar",
  method: "GET",
  path: "/avatar/{user_id}",
  access: "account",
  raw: [
    { status: 200, about: "A picture that reveals nothing about the account.", type: "image/png" },
    { status: 302, about: "`Location` is the address of the account's picture." },
  ],
  missingIs404: true,
  summary: "Get a user's picture",
  description:
    "If the caller may see the account's e-mail address, the answer is 302 to a picture derived from it; otherwise a PNG that reveals nothing about it and may be cached for a day. Requires credentials, so that strangers cannot find out who has an account.",
  pathParams: { user_id: path.int() },
  params: {
    version: form.text({ anyText: true }).optional().describe("The account's `avatar_version`."),
    s: form
      .int({ min: 1, max: 500 })
      .default(100)
      .describe("Width and height of a generated picture, in pixels."),
  },
});

/** `POST /users` (users.md §5). */
export const createUser = operation({
  id: "create-user",
  method: "POST",
  path: "/api/v1/users",
  access: "administrator",
  summary: "Create a user",
  example: {
    params: {
      email: "new-$RANDOM@carillon.test",
      password: "their long passphrase",
      full_name: "Nora Newcomer",
    },
  },
  description: "For administrators whose account may create users; the new account is a member.",
  params: {
    email: form.text(),
    password: form.text().describe("6 to 100 characters; the most common passwords are refused."),
    full_name: form.text().describe("1 to 100 characters."),
  },
  result: { user_id: z.int() },
});

/** `PATCH /users/{user_id}` (users.md §3). */
export const updateUser = operation({
  id: "update-user",
  method: "PATCH",
  path: "/api/v1/users/{user_id}",
  access: "administrator",
  accessError: "BAD_REQUEST",
  idempotencyKey: true,
  summary: "Update a user",
  example: { params: { full_name: "Mona M. Moderator" } },
  description: updateUserDescription,
  pathParams: { user_id: path.int() },
  params: updateUserParameters,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
});

/** `PATCH /users/{email}` (users.md §3). */
export const updateUserByEmail = operation({
  id: "update-user-by-email",
  method: "PATCH",
  path: "/api/v1/users/{email}",
  access: "administrator",
  accessError: "BAD_REQUEST",
  idempotencyKey: true,
  summary: "Update a user by e-mail address",
  example: { params: { full_name: "Mona Moderator" } },
  description: updateUserDescription,
  pathParams: { email: path.text() },
  params: updateUserParameters,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
});

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
    "For administrators of the organization. The user's bots are deactivated first, in separate steps: repeat a request that fails halfway. After a success none of their keys works. Bots have a separate operation.",
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
        "What to delete of the user and of their bots. Messages that they have sent are deleted in the background, with all copies, even if the account is reactivated meanwhile.",
      ),
    deactivation_notification_comment: form
      .text()
      .optional()
      .describe(
        "At most 2000 characters. With it, even if empty, the user gets a mail with the comment at their delivery address; without it, no mail.",
      ),
  },
  errors: ["UNAUTHORIZED_PRINCIPAL"],
});

/** `DELETE /users/me` (users.md §5). */
export const deactivateOwnUser = operation({
  id: "deactivate-own-user",
  method: "DELETE",
  path: "/api/v1/users/me",
  access: "account",
  summary: "Deactivate one's own account",
  example: { as: "guest" },
  description:
    "The caller's bots are deactivated first, as with `DELETE /users/{user_id}`. Nothing is deleted.",
  errors: ["CANNOT_DEACTIVATE_LAST_USER"],
});

/** `POST /users/{user_id}/reactivate` (users.md §5). */
export const reactivateUser = operation({
  id: "reactivate-user",
  method: "POST",
  path: "/api/v1/users/{user_id}/reactivate",
  access: "administrator",
  accessError: "BAD_REQUEST",
  idempotencyKey: true,
  summary: "Reactivate a user",
  example: { made: { USER_ID: ["create-user", "user_id"] }, path: { user_id: "$USER_ID" } },
  description:
    "For administrators of the organization. The account gets its key, role, subscriptions and groups back; the bots of a user stay deactivated. The caller becomes the owner of a bot whose owner is deactivated.",
  pathParams: { user_id: path.int() },
  errors: ["UNAUTHORIZED_PRINCIPAL"],
});
