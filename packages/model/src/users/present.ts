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

import type { ProfileData } from "../profile-fields.ts";
import type { Account } from "./account.ts";
import { showsAddressTo, type Viewer } from "./addresses.ts";
import { hasPublicGravatar, pictureOf, pictureUrl } from "./avatar.ts";

interface PresentOptions {
  /** `PUBLIC_URL` */
  readonly siteUrl: string;
  /** Whether the client computes Gravatar URLs itself. */
  readonly clientGravatar: boolean;
  /** Custom profile fields; left out if undefined, and for bots. */
  readonly profileData?: ProfileData;
}

/** Converts the account to its wire format for `viewer`. */
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

/**
 * Converts the account to its wire format for viewers who can, or cannot, see its delivery address; without the
 * picture's URL.
 */
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

/** A single change of an account in the wire format; for a picture use {@link pictureUpdated}. */
type PersonChange = Without<Exclude<Logged, { picture: unknown }>["person"], "user_id">;

/**
 * Makes the event of a single change of an account (events.md §4).
 * @param audience default: all users
 */
export function personUpdated(
  userId: number,
  change: PersonChange,
  audience: Audience = null,
): NewEvent {
  return userUpdated({ person: { user_id: userId, ...change } }, { audience });
}

/**
 * Makes the event of an account's new picture. It is also needed when the address changes, from which clients derive
 * the picture. The poll inserts the URL, which depends on the viewer.
 * @param audience default: all users
 */
export function pictureUpdated(account: Account, audience: Audience = null): NewEvent {
  const { id: user_id, avatarSource: avatar_source, avatarVersion: avatar_version } = account;
  const person = { user_id, avatar_source, avatar_version };
  return userUpdated({ person, picture: pictureOf(account) }, { audience });
}

/** Makes the event of an account that is new to its receivers. */
export function personAdded(fields: LoggedFields<typeof userAdded>, audience: Audience): NewEvent {
  return userAdded(fields, { audience });
}

/** Makes the event of an account's changed status, with the changed fields only. */
export function statusChanged(
  fields: LoggedFields<typeof userStatusChanged>,
  audience: Audience,
): NewEvent {
  return userStatusChanged(fields, { audience });
}

/** A person's status in the wire format; empty strings for unset fields. */
export interface UserStatus {
  readonly status_text: string;
  readonly emoji_name: string;
  readonly emoji_code: string;
  readonly reaction_type: string;
}

/** SQL: columns of the table `user_status`, called `s`. */
export const statusColumns = "s.status_text, s.emoji_name, s.emoji_code, s.reaction_type";

/** Returns the fields that are set. */
export function setFields(status: UserStatus): Partial<UserStatus> {
  const { status_text, emoji_name, emoji_code, reaction_type } = status;
  return {
    ...(status_text === "" ? {} : { status_text }),
    ...(emoji_name === "" ? {} : { emoji_name, emoji_code, reaction_type }),
  };
}
