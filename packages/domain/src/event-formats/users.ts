import { mediumUrl, pictureUrl, type Picture } from "../users/avatar.ts";
import type { UserObject } from "../users/present.ts";
import type { Formatter } from "./delivery.ts";

/** What the log keeps of `realm_user/add`. */
interface LoggedUser {
  readonly person: UserObject;
  /** The address of the picture depends on who looks; a stand-in has one of its own. */
  readonly picture?: Picture;
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
  const { person, picture, public_gravatar, placeholder, ...fields } =
    delivery.fields() as unknown as LoggedUser;
  if (placeholder && delivery.has("user_list_incomplete")) return [];
  const ownAvatar = public_gravatar && delivery.queue.options.clientGravatar;
  const { context, viewer } = delivery;
  const url = picture ? pictureUrl(context.siteUrl, picture, viewer) : person.avatar_url;
  const avatar_url = ownAvatar ? null : url;
  return [delivery.with({ ...fields, person: { ...person, avatar_url } })];
};

/** What the log keeps of `realm_user/update` where it is the picture that has changed. */
interface LoggedChange {
  readonly person: object;
  readonly picture?: Picture;
}

/** `realm_user/update`: the address of a picture depends on who looks. */
export const formatUserUpdate: Formatter = (delivery) => {
  const { person, picture, ...fields } = delivery.fields() as unknown as LoggedChange;
  if (!picture) return [delivery.with({ person, ...fields })];
  const avatar_url = pictureUrl(delivery.context.siteUrl, picture, delivery.viewer);
  const urls = { avatar_url, avatar_url_medium: mediumUrl(avatar_url) };
  return [delivery.with({ person: { ...person, ...urls }, ...fields })];
};
