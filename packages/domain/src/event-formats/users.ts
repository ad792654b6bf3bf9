import type { UserObject } from "../users/present.ts";
import type { Formatter } from "./delivery.ts";

/** What the log keeps of `realm_user/add`. */
interface LoggedUser {
  readonly person: UserObject;
  /** Whether clients can make up the avatar's address themselves. */
  readonly public_gravatar?: boolean;
  /** true where the receivers may not see the account, and `person` only stands in for it. */
  readonly placeholder?: boolean;
}

/**
 * `realm_user/add`: stand-ins only for clients that need everybody they hear of, avatars only where clients do not
 * make them up.
 */
export const formatUserAdd: Formatter = (delivery) => {
  const { person, public_gravatar, placeholder, ...fields } =
    delivery.fields() as unknown as LoggedUser;
  if (placeholder && delivery.has("user_list_incomplete")) return [];
  const ownAvatar = public_gravatar && delivery.queue.options.clientGravatar;
  const shown = ownAvatar ? { ...person, avatar_url: null } : person;
  return [delivery.with({ ...fields, person: shown })];
};
