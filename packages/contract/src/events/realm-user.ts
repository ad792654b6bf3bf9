import * as z from "zod";
import { userObject } from "../operations/users.ts";
import { event } from "../primitives/event.ts";
import { loggedPicture } from "./picture.ts";

export const userAdded = event({
  type: "realm_user",
  op: "add",
  about:
    "An account was created, or has become visible to the receiver. `delivery_email` is null if the receiver may not see it.",
  to: "some",
  receivers: "everybody",
  fields: { person: userObject },
  log: {
    person: userObject,
    /** The address of the picture depends on the receiver; a placeholder has its own. */
    picture: loggedPicture.optional(),
    /** Whether clients can compute the picture's address themselves. */
    public_gravatar: z.boolean().optional(),
    /** The receivers may not see the account: `person` is a placeholder. */
    placeholder: z.literal(true).optional(),
  },
  older: {
    user_list_incomplete: {
      about: "Has a placeholder for accounts that the receiver may not see.",
    },
  },
});

export const userRemoved = event({
  type: "realm_user",
  op: "remove",
  about:
    "The receiver no longer sees an account. Clients without `user_list_incomplete` show a placeholder in its place.",
  to: "some",
  receivers: "guests who can no longer see it",
  fields: { person: z.strictObject({ user_id: z.int(), full_name: z.string() }) },
});

const person = <Change extends z.core.$ZodLooseShape>(change: Change) =>
  z.strictObject({ user_id: z.int(), ...change });

const picture = { avatar_source: z.string(), avatar_version: z.int() };

const changes = [
  person({ full_name: z.string() }),
  person({ role: z.int() }),
  person({ is_active: z.boolean() }),
  person({ new_email: z.string() }),
  person({ delivery_email: z.string().nullable() }),
  person({ bot_owner_id: z.int() }),
  person({ timezone: z.string(), email: z.string() }),
  person({
    custom_profile_field: z.strictObject({
      id: z.int(),
      value: z.string().nullable(),
      rendered_value: z.string().optional(),
    }),
  }),
] as const;

export const userUpdated = event({
  type: "realm_user",
  op: "update",
  about: "Exactly one property of an account changed.",
  to: "some",
  receivers:
    "accounts that see the account; for `delivery_email` only accounts that begin to see the address",
  fields: {
    person: z.union([
      ...changes,
      person({ ...picture, avatar_url: z.string(), avatar_url_medium: z.string() }),
    ]),
  },
  log: [
    { person: z.union(changes) },
    // The addresses of the picture depend on the receiver.
    { person: person(picture), picture: loggedPicture },
  ],
  effect({ person: changed }) {
    const { user_id: userId } = changed;
    if ("is_active" in changed && !changed.is_active) return { userId, ends: "refused" };
    // The next poll checks whether the queue may still listen to all public channels.
    if ("role" in changed) return { userId, viewerRole: changed.role, endsAllPublic: true };
    return undefined;
  },
});
