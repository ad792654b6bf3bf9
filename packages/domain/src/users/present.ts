import { avatarUrl, hasPublicGravatar } from "./avatar.ts";
import type { Account } from "./account.ts";

/** Who looks, as far as it matters to what is shown. */
export type Viewer = Pick<Account, "id" | "role">;

/** An account as clients see it (users.md §2). */
export interface UserObject {
  user_id: number;
  email: string;
  delivery_email: string | null;
  full_name: string;
  role: number;
  is_active: boolean;
  is_bot: boolean;
  is_owner: boolean;
  is_admin: boolean;
  is_guest: boolean;
  is_imported_stub: boolean;
  timezone: string;
  date_joined: string;
  avatar_version: number;
  avatar_url: string | null;
  is_deleted?: true;
  is_system_bot?: true;
  bot_type?: number | null;
  bot_owner_id?: number | null;
  profile_data?: Record<string, ProfileValue>;
}

export interface ProfileValue {
  value: string;
  rendered_value?: string;
}

export interface PresentOptions {
  /** The client makes up gravatar addresses by itself. */
  readonly clientGravatar: boolean;
  /** Custom profile fields; left out unless given, and for bots. */
  readonly profileData?: Record<string, ProfileValue>;
}

/** The account as `viewer` sees it. */
export function presentUser(viewer: Viewer, account: Account, options: PresentOptions): UserObject {
  const seesAddress = viewer.id === account.id || showsAddressTo(account, viewer.role);
  return userObject(account, seesAddress, options);
}

/** The account as those see it who may, or may not, see its delivery address. */
export function userObject(
  account: Account,
  seesAddress: boolean,
  { clientGravatar, profileData }: PresentOptions,
): UserObject {
  return {
    user_id: account.id,
    email: account.email,
    delivery_email: seesAddress ? account.deliveryEmail : null,
    full_name: account.fullName,
    role: account.role,
    is_active: account.isActive,
    is_bot: account.isBot,
    is_owner: account.role === 100,
    is_admin: account.role <= 200,
    is_guest: account.role === 600,
    is_imported_stub: account.isImportedStub,
    timezone: account.timezone,
    date_joined: `${new Date(account.dateJoined * 1000).toISOString().slice(0, 16)}+00:00`,
    avatar_version: account.avatarVersion,
    avatar_url: clientGravatar && hasPublicGravatar(account) ? null : avatarUrl(account),
    ...(account.isDeleted ? { is_deleted: true as const } : {}),
    ...(account.systemBotKind ? { is_system_bot: true as const } : {}),
    ...(account.isBot ? { bot_type: account.botType, bot_owner_id: account.botOwnerId } : {}),
    ...(profileData && !account.isBot ? { profile_data: profileData } : {}),
  };
}

/** For each role the values of `email_address_visibility` that reveal an address to it. */
const revealing: Readonly<Record<number, readonly number[]>> = {
  100: [1, 2, 3, 5],
  200: [1, 2, 3, 5],
  300: [1, 2, 5],
  400: [1, 2],
  600: [1],
};

/** Whether accounts of the role see the delivery address of `account`; its own it always sees. */
export function showsAddressTo(
  account: Pick<Account, "isBot" | "emailAddressVisibility">,
  role: number,
): boolean {
  return account.isBot || (revealing[role] ?? []).includes(account.emailAddressVisibility);
}

/** The roles that see the account's delivery address. */
export function rolesSeeingAddress(account: Account): number[] {
  return Object.keys(revealing)
    .map(Number)
    .filter((role) => showsAddressTo(account, role));
}
