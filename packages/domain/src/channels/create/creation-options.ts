import type { ChannelPermission, GroupSettingValue } from "@carillon/contract";

/** What a new channel is to be like, as asked for; undefined where the default will do. */
export interface CreationOptions {
  readonly inviteOnly: boolean;
  readonly isWebPublic: boolean;
  readonly isDefault: boolean;
  /** Whether it is announced in the organization's channel for that. */
  readonly announce: boolean;
  readonly historyPublicToSubscribers: boolean | undefined;
  /** Days */
  readonly messageRetentionDays: number | "realm_default" | "unlimited";
  readonly topicsPolicy: string;
  readonly folderId: number | undefined;
  readonly groups: Readonly<Partial<Record<ChannelPermission, GroupSettingValue | undefined>>>;
}
