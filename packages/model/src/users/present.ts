import { isAtLeast, isGuest, isOwner, roles, type UserObject } from "@carillon/contract";

import type { ProfileData } from "../profile-fields/profile-data.ts";
import type { Account } from "./account.ts";
import { showsAddressTo, type Viewer } from "./address-viewers.ts";
import { hasPublicGravatar, pictureOf, pictureUrl } from "./avatar.ts";

export interface PresentOptions {
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
