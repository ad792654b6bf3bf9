import {
  type botAdded,
  type botUpdated,
  type emojiAdded,
  emojiReplaced,
  type emojiUpdated,
  type linkifiersChanged,
  type LoggedFields,
  type presenceChanged,
  type userAdded,
  userGroupAdded,
  type userGroupMembersAdded,
  type userGroupMembersRemoved,
  userGroupRemoved,
  type userGroupSubgroupsAdded,
  type userGroupSubgroupsRemoved,
  type userGroupUpdated,
  type userUpdated,
} from "@carillon/contract";
import type { QueueEvent } from "@carillon/events";
import {
  mediumUrl,
  type Picture,
  pictureUrl,
  rolesSeeingAddress,
  shownServices,
} from "@carillon/model";

import { legacyPresence } from "../presence.ts";
import type { Format, OutgoingEvent } from "./outgoing-event.ts";

/**
 * `realm_user/add`: sends placeholders of users only to clients that need a complete list of users, and avatars only to
 * clients that do not compute them.
 */
export const formatUserAdd: Format<typeof userAdded> = (outgoing) => {
  const { person, picture, public_gravatar, placeholder } = outgoing.fields;
  if (placeholder && outgoing.has("user_list_incomplete")) return [];
  const ownAvatar = public_gravatar && outgoing.queue.options.clientGravatar;
  const { context, viewer } = outgoing;
  const { user_id, delivery_email } = person;
  // Older rows had separate events for users who can see the address and users who cannot.
  const known = picture ?? oldPicture(user_id, person.avatar_url, delivery_email !== null);
  const url = known ? pictureUrl(context.siteUrl, known, viewer) : person.avatar_url;
  const avatar_url = ownAvatar ? null : url;
  return [outgoing.present({ person: { ...person, avatar_url } })];
};

/** `realm_bot/add`: the log holds tokens sealed. */
export const formatBotAdd: Format<typeof botAdded> = (outgoing) => {
  const { bot } = outgoing.fields;
  const services = opened(bot.services, outgoing.context.secrets);
  return [outgoing.present({ bot: { ...bot, services } })];
};

/** `realm_bot/update`: the log holds tokens sealed. */
export const formatBotUpdate: Format<typeof botUpdated> = (outgoing) => {
  const { services, ...bot } = outgoing.fields.bot;
  if (!services) return [outgoing.present({ bot })];
  const shown = opened(services, outgoing.context.secrets);
  return [outgoing.present({ bot: { ...bot, services: shown } })];
};

/** Opens logged services; none if they were sealed before `SECRET_KEY` changed. */
function opened(...given: Parameters<typeof shownServices>): ReturnType<typeof shownServices> {
  try {
    return shownServices(...given);
  } catch {
    return [];
  }
}

/** A change of picture in rows of earlier releases, which have a single URL for all receivers. */
interface OldChange {
  readonly user_id: number;
  readonly avatar_url?: string | null;
  readonly avatar_source?: string;
  readonly avatar_version?: number;
}

/** `realm_user/update`: the URL of a picture depends on the viewer. */
export const formatUserUpdate: Format<typeof userUpdated> = (outgoing) => {
  const { fields } = outgoing;
  if ("picture" in fields) return [presentPicture(outgoing, fields.person, fields.picture)];
  const { user_id, avatar_url, ...change }: OldChange = fields.person;
  const old = oldPicture(user_id, avatar_url, false);
  if (!old) return [outgoing.present({ person: fields.person })];
  const { avatar_source = "G", avatar_version = old.version } = change;
  return [presentPicture(outgoing, { user_id, avatar_source, avatar_version }, old)];
};

function presentPicture(
  outgoing: OutgoingEvent<typeof userUpdated>,
  person: PicturedPerson,
  picture: Picture,
): QueueEvent {
  const avatar_url = pictureUrl(outgoing.context.siteUrl, picture, outgoing.viewer);
  return outgoing.present({
    person: { ...person, avatar_url, avatar_url_medium: mediumUrl(avatar_url) },
  });
}

type PicturedPerson = Extract<LoggedFields<typeof userUpdated>, { picture: unknown }>["person"];

/**
 * `presence`: sends the times when the user was last active and last idle. Sends older clients one state with its time,
 * and the e-mail address unless the queue asks for slim presence.
 */
export const formatPresence: Format<typeof presenceChanged> = (outgoing) => {
  const { user_id, email, server_timestamp, active_timestamp, idle_timestamp } = outgoing.fields;
  if (outgoing.has("simplified_presence_events"))
    return [outgoing.present({ presences: { [user_id]: { active_timestamp, idle_timestamp } } })];
  const { website } = legacyPresence({ active: active_timestamp, idle: idle_timestamp });
  return [
    outgoing.presentOlder("simplified_presence_events", {
      user_id,
      ...(outgoing.queue.options.slimPresence ? {} : { email }),
      server_timestamp,
      presence: { website },
    }),
  ];
};

type GroupChange =
  | typeof userGroupAdded
  | typeof userGroupMembersAdded
  | typeof userGroupMembersRemoved
  | typeof userGroupSubgroupsAdded
  | typeof userGroupSubgroupsRemoved;

/** `user_group`: changes of a deactivated group are sent only to clients that support such groups. */
export const formatGroupChange: Format<GroupChange> = (outgoing) => {
  const { deactivated, ...fields } = outgoing.fields;
  return deactivated && !outgoing.has("include_deactivated_groups")
    ? []
    : [outgoing.present(fields)];
};

/**
 * `user_group/update`: for clients that do not support deactivated groups, deactivation removes the group and
 * reactivation adds it.
 */
export const formatGroupUpdate: Format<typeof userGroupUpdated> = (outgoing) => {
  const { group, deactivated, ...fields } = outgoing.fields;
  if (outgoing.has("include_deactivated_groups")) return [outgoing.present(fields)];
  const change = fields.data.deactivated;
  if (change === undefined) return deactivated ? [] : [outgoing.present(fields)];
  if (change) return [outgoing.presentAs(userGroupRemoved, { group_id: fields.group_id })];
  return group ? [outgoing.presentAs(userGroupAdded, { group })] : [];
};

/** `realm_emoji`: sends the change, or all current emoji to clients that do not support single changes. */
export const formatEmojiChange: Format<typeof emojiAdded | typeof emojiUpdated> = (outgoing) =>
  outgoing.has("individual_emoji_changes")
    ? [outgoing.present(outgoing.fields)]
    : [outgoing.presentAs(emojiReplaced, { realm_emoji: outgoing.context.realmEmoji })];

/** `realm_linkifiers`: sends an empty list to clients that do not support URL templates. */
export const formatLinkifiers: Format<typeof linkifiersChanged> = (outgoing) => [
  outgoing.present(
    outgoing.has("linkifier_url_template") ? outgoing.fields : { realm_linkifiers: [] },
  ),
];

const gravatar =
  /^https:\/\/secure\.gravatar\.com\/avatar\/([\da-f]{32})\?d=identicon&version=(\d+)$/;

/**
 * Returns the picture of an account from a row of a release that did not log pictures. Such a row has a Gravatar URL, the
 * same for all receivers. The log outlives an upgrade by days, so these rows must still be sent, without revealing
 * hidden e-mail addresses.
 * @param url the row's URL, if any
 * @param seen whether all receivers of the row can see the e-mail address; otherwise only the account itself can
 * @returns undefined for another URL, or none
 */
export function oldPicture(
  userId: number,
  url: string | null | undefined,
  seen: boolean,
): Picture | undefined {
  const [, hash, version] = gravatar.exec(url ?? "") ?? [];
  if (hash === undefined) return undefined;
  const shown_to = seen ? everybody : [];
  return { user_id: userId, version: Number(version), hash, shown_to };
}

const everybody = rolesSeeingAddress({ isBot: false, emailAddressVisibility: 1 });
