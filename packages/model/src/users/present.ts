import {
  type Audience,
  isAtLeast,
  isGuest,
  isOwner,
  type LoggedFields,
  type NewEvent,
  roles,
  userAdded,
  type UserObject,
  userStatusChanged,
  userUpdated,
} from "@carillon/contract";
import { column, type RowOf } from "@carillon/db";

import type { ProfileData } from "../profile-fields.ts";
import type { Account } from "./account.ts";
import { showsAddressTo, type Viewer } from "./addresses.ts";
import { hasPublicGravatar, pictureOf, pictureUrl } from "./avatar.ts";

interface PresentOptions {
  /** `PUBLIC_URL` */
  readonly siteUrl: string;
  /** The client makes up gravatar addresses by itself. */
  readonly clientGravatar: boolean;
  /** Custom profile fields; left out unless given, and for bots. */
  readonly profileData?: ProfileData;
}

/** The account as `viewer` sees it. */
export function presentUser(viewer: Viewer, account: Account, options: PresentOptions): UserObject {
  const seesAddress = viewer.id === account.id || showsAddressTo(account, viewer.role);
  const { clientGravatar, siteUrl } = options;
  return {
    ...userObject(account, seesAddress, options.profileData),
    avatar_url:
      clientGravatar && hasPublicGravatar(account)
        ? null
        : pictureUrl(siteUrl, pictureOf(account), viewer),
  };
}

/** The account as those see it who may, or may not, see its delivery address; of its picture only the version. */
export function userObject(
  account: Account,
  seesAddress: boolean,
  profileData?: ProfileData,
): UserObject {
  return {
    user_id: account.id,
    email: account.email,
    delivery_email: seesAddress ? account.deliveryEmail : null,
    full_name: account.fullName,
    role: account.role,
    is_active: account.isActive,
    is_bot: account.isBot,
    is_owner: isOwner(account),
    is_admin: isAtLeast(account, roles.administrator),
    is_guest: isGuest(account),
    is_imported_stub: account.isImportedStub,
    timezone: account.timezone,
    date_joined: `${new Date(account.dateJoined * 1000).toISOString().slice(0, 16)}+00:00`,
    avatar_version: account.avatarVersion,
    avatar_url: null,
    ...(account.isDeleted ? { is_deleted: true as const } : {}),
    ...(account.systemBotKind ? { is_system_bot: true as const } : {}),
    ...(account.isBot ? { bot_type: account.botType, bot_owner_id: account.botOwnerId } : {}),
    ...(profileData && !account.isBot ? { profile_data: profileData } : {}),
  };
}

type Logged = LoggedFields<typeof userUpdated>;
type Without<T, Name extends string> = T extends unknown ? Omit<T, Name> : never;

/** Exactly one change of an account, as on the wire; a picture is told with {@link pictureUpdated}. */
type PersonChange = Without<Exclude<Logged, { picture: unknown }>["person"], "user_id">;

/**
 * What is told when one thing about an account has changed (events.md §4).
 * @param audience everybody unless given
 */
export function personUpdated(
  userId: number,
  change: PersonChange,
  audience: Audience = null,
): NewEvent {
  return userUpdated({ person: { user_id: userId, ...change } }, { audience });
}

/**
 * What is told of an account's picture; clients that make up pictures of addresses would make up another. Which address
 * it is says the poll that hands it out.
 * @param audience everybody unless given
 */
export function pictureUpdated(account: Account, audience: Audience = null): NewEvent {
  const { id: user_id, avatarSource: avatar_source, avatarVersion: avatar_version } = account;
  const person = { user_id, avatar_source, avatar_version };
  return userUpdated({ person, picture: pictureOf(account) }, { audience });
}

/** What is told of an account to those who have not known it. */
export function personAdded(fields: LoggedFields<typeof userAdded>, audience: Audience): NewEvent {
  return userAdded(fields, { audience });
}

/** What is told of what somebody says of themselves: only what is different. */
export function statusChanged(
  fields: LoggedFields<typeof userStatusChanged>,
  audience: Audience,
): NewEvent {
  return userStatusChanged(fields, { audience });
}

/** The rows of {@link statusColumns}. */
export const statusRow = {
  status_text: column.text,
  emoji_name: column.text,
  emoji_code: column.text,
  reaction_type: column.text,
};

/** What a person says of themselves; empty strings where nothing is set. Spelled as on the wire. */
export type UserStatus = RowOf<typeof statusRow>;

/** Of the table `user_status`, called `s`. */
export const statusColumns = "s.status_text, s.emoji_name, s.emoji_code, s.reaction_type";

/** Only what is set. */
export function setFields(status: UserStatus): Partial<UserStatus> {
  const { status_text, emoji_name, emoji_code, reaction_type } = status;
  return {
    ...(status_text === "" ? {} : { status_text }),
    ...(emoji_name === "" ? {} : { emoji_name, emoji_code, reaction_type }),
  };
}
