import {
  channelPermissions,
  groupSettingsIn,
  updateChannel as operation,
} from "@carillon/contract";
import { postNoticesOfChange, updateChannel } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.inSteps(operation, async ({ services, path, input, actor }) => {
  const changes = {
    description: input.description,
    newName: input.new_name,
    isPrivate: input.is_private,
    isWebPublic: input.is_web_public,
    historyPublicToSubscribers: input.history_public_to_subscribers,
    isDefault: input.is_default_stream,
    messageRetentionDays: input.message_retention_days,
    isArchived: input.is_archived,
    folderId: input.folder_id,
    topicsPolicy: input.topics_policy,
    settings: groupSettingsIn(channelPermissions, input),
  };
  const notices = await services.db.transaction((tx) =>
    updateChannel(tx, actor, path.stream_id, changes),
  );
  if (notices) await postNoticesOfChange(services, notices);
});
