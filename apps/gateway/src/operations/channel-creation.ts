import * as contract from "@carillon/contract";
import type { CreationOptions } from "@carillon/domain";

type CreationInput =
  | contract.InputOf<typeof contract.createChannel>
  | contract.InputOf<typeof contract.addSubscriptions>;

/** Maps the parameters of channel creation to the names that the rules use. */
export function creationOptions(input: CreationInput): CreationOptions {
  return {
    inviteOnly: input.invite_only,
    isWebPublic: input.is_web_public,
    isDefault: input.is_default_stream,
    announce: input.announce,
    historyPublicToSubscribers: input.history_public_to_subscribers,
    messageRetentionDays: input.message_retention_days,
    topicsPolicy: input.topics_policy,
    folderId: input.folder_id,
    groups: contract.groupSettingsIn(contract.channelPermissions, input),
  };
}
