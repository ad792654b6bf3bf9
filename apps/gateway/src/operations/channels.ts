import * as contract from "@carillon/contract";
import {
  archiveChannel,
  createChannel,
  listChannels,
  postNoticesOfChange,
  readChannel,
  readChannelId,
  readChannelsOfUser,
  readEmailAddress,
  updateChannel,
} from "@carillon/domain";
import { handle } from "../handle.ts";
import { creationOptions } from "./channel-creation.ts";

export default [
  handle.reads(contract.listChannels, async ({ snapshot, input, actor }) => ({
    streams: await snapshot((sql) =>
      listChannels(sql, actor, {
        public: input.include_public,
        subscribed: input.include_subscribed,
        webPublic: input.include_web_public,
        all: input.include_all,
        ownerSubscribed: input.include_owner_subscribed,
        contentAccess: input.include_can_access_content,
        archived: !input.exclude_archived,
        withDefault: input.include_default,
      }),
    ),
  })),

  handle.reads(contract.getChannel, async ({ snapshot, path, actor }) => ({
    stream: await snapshot((sql) => readChannel(sql, actor, path.stream_id)),
  })),

  handle.reads(contract.getChannelId, async ({ snapshot, input, actor }) => ({
    stream_id: await snapshot((sql) => readChannelId(sql, actor, input.stream)),
  })),

  handle.reads(contract.getChannelEmailAddress, ({ snapshot, path, actor }) =>
    snapshot((sql) => readEmailAddress(sql, actor, path.stream_id)),
  ),

  handle.reads(contract.getUserChannels, async ({ snapshot, path, actor }) => ({
    subscribed_channel_ids: await snapshot((sql) => readChannelsOfUser(sql, actor, path.user_id)),
  })),

  handle.changes(contract.createChannel, async ({ tx, input, actor }) => {
    const { name, description, subscribers } = input;
    const channel = { ...creationOptions(input), name, description, subscribers };
    const id = await createChannel(tx, actor, channel);
    return { id };
  }),

  handle.inSteps(contract.updateChannel, async ({ services, path, input, actor }) => {
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
      settings: contract.groupSettingsIn(contract.channelPermissions, input),
    };
    const notices = await services.db.transaction((tx) =>
      updateChannel(tx, actor, path.stream_id, changes),
    );
    if (notices) await postNoticesOfChange(services, notices);
  }),

  handle.changes(contract.archiveChannel, ({ tx, path, actor }) =>
    archiveChannel(tx, actor, path.stream_id),
  ),
];
