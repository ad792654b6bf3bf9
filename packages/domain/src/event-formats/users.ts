import type { LoggedFields, userAdded, userUpdated } from "@carillon/contract";
import { type Picture, mediumUrl, pictureUrl } from "@carillon/model";
import type { QueueEvent } from "@carillon/events";
import type { OutgoingEvent, Format } from "./outgoing-event.ts";
import { oldPicture } from "./old-pictures.ts";

/**
 * `realm_user/add`: stand-ins only for clients that need everybody they hear of, avatars only where clients do not
 * make them up.
 */
export const formatUserAdd: Format<typeof userAdded> = (outgoing) => {
  const { person, picture, public_gravatar, placeholder } = outgoing.fields;
  if (placeholder && outgoing.has("user_list_incomplete")) return [];
  const ownAvatar = public_gravatar && outgoing.queue.options.clientGravatar;
  const { context, viewer } = outgoing;
  const { user_id, delivery_email } = person;
  // Rows of old were written apart for those who see the address and those who do not.
  const known = picture ?? oldPicture(user_id, person.avatar_url, delivery_email !== null);
  const url = known ? pictureUrl(context.siteUrl, known, viewer) : person.avatar_url;
  const avatar_url = ownAvatar ? null : url;
  return [outgoing.tell({ person: { ...person, avatar_url } })];
};

/** What rows of old have of a new picture: an address, one for all. */
interface OldChange {
  readonly user_id: number;
  readonly avatar_url?: string | null;
  readonly avatar_source?: string;
  readonly avatar_version?: number;
}

/** `realm_user/update`: the address of a picture depends on who looks. */
export const formatUserUpdate: Format<typeof userUpdated> = (outgoing) => {
  const { fields } = outgoing;
  if ("picture" in fields) return [tellPicture(outgoing, fields.person, fields.picture)];
  const { user_id, avatar_url, ...change }: OldChange = fields.person;
  const old = oldPicture(user_id, avatar_url, false);
  if (!old) return [outgoing.tell({ person: fields.person })];
  const { avatar_source = "G", avatar_version = old.version } = change;
  return [tellPicture(outgoing, { user_id, avatar_source, avatar_version }, old)];
};

function tellPicture(
  outgoing: OutgoingEvent<typeof userUpdated>,
  person: PicturedPerson,
  picture: Picture,
): QueueEvent {
  const avatar_url = pictureUrl(outgoing.context.siteUrl, picture, outgoing.viewer);
  return outgoing.tell({
    person: { ...person, avatar_url, avatar_url_medium: mediumUrl(avatar_url) },
  });
}

type PicturedPerson = Extract<LoggedFields<typeof userUpdated>, { picture: unknown }>["person"];
