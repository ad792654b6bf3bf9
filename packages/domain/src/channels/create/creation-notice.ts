import type { Account, Channel, Realm } from "@carillon/model";
import type { Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/contract";
import { type Notice, notice, paragraph, silentUser, told } from "@carillon/markdown";

import { postChannelNotices } from "../notices/post-channel-notice.ts";

/** The first message of each new channel (channels.md §4), which tells who created it. */
export function postCreationNotices(
  tx: Tx,
  realm: Realm,
  creator: Account,
  channels: readonly Channel[],
): Promise<readonly NewEvent[]> {
  // Channels of one kind are told of in the same words.
  const words = new Map<string, Notice>();
  return postChannelNotices(
    tx,
    realm,
    creator,
    channels.map((channel) => {
      const kind = kindOf(channel);
      const said =
        words.get(kind) ??
        notice(paragraph`${silentUser(creator)} created this ${told(kind)} channel.`);
      words.set(kind, said);
      return { channelId: channel.id, notice: said };
    }),
  );
}

function kindOf(channel: Channel): string {
  if (channel.isWebPublic) return "web-public";
  return channel.inviteOnly ? "private" : "public";
}
