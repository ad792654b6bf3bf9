import { type Picture, type UserObject, mediumUrl, pictureUrl } from "@carillon/model";
import type { Formatter } from "./delivery.ts";
import { oldPicture } from "./old-pictures.ts";

/** What the log keeps of `realm_user/add`. */
interface LoggedUser {
  readonly person: UserObject;
  /** The address of the picture depends on who looks; a stand-in has one of its own, and so has a row of old. */
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
  const { user_id, delivery_email } = person;
  // Rows of old were written apart for those who see the address and those who do not.
  const known = picture ?? oldPicture(user_id, person.avatar_url, delivery_email !== null);
  const url = known ? pictureUrl(context.siteUrl, known, viewer) : person.avatar_url;
  const avatar_url = ownAvatar ? null : url;
  return [delivery.with({ ...fields, person: { ...person, avatar_url } })];
};

/** What the log keeps of `realm_user/update` where it is the picture that has changed. */
interface LoggedChange {
  readonly person: { readonly user_id: number; readonly avatar_url?: string | null };
  readonly picture?: Picture;
}

/** `realm_user/update`: the address of a picture depends on who looks. */
export const formatUserUpdate: Formatter = (delivery) => {
  const { person, picture: kept, ...fields } = delivery.fields() as unknown as LoggedChange;
  const picture = kept ?? oldPicture(person.user_id, person.avatar_url, false);
  if (!picture) return [delivery.with({ person, ...fields })];
  const avatar_url = pictureUrl(delivery.context.siteUrl, picture, delivery.viewer);
  const urls = { avatar_url, avatar_url_medium: mediumUrl(avatar_url) };
  return [delivery.with({ person: { ...person, ...urls }, ...fields })];
};
