import type { TopicsPolicy } from "@carillon/contract";
import type { GroupSettingUpdates } from "@carillon/model";

/** What somebody wants to be different of a channel (channels.md §5); undefined is to stay as it is. */
export interface ChannelChanges {
  readonly description?: string | undefined;
  readonly newName?: string | undefined;
  readonly isPrivate?: boolean | undefined;
  readonly isWebPublic?: boolean | undefined;
  readonly historyPublicToSubscribers?: boolean | undefined;
  readonly isDefault?: boolean | undefined;
  /** Days */
  readonly messageRetentionDays?: number | "realm_default" | "unlimited" | undefined;
  /** False brings it back from the archive; true does nothing. */
  readonly isArchived?: boolean | undefined;
  readonly folderId?: number | null | undefined;
  readonly topicsPolicy?: TopicsPolicy | undefined;
  readonly settings: GroupSettingUpdates<"channel">;
}

/** Whether it asks for another value of some permission. */
export function asksForSettings({ settings }: ChannelChanges): boolean {
  return Object.values(settings).some((update) => update !== undefined);
}
