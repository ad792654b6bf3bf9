import { statement, type Tx } from "@carillon/db";

import type { NextChannel } from "./next-channel.ts";

/** No message is touched: their channel's name is looked up where they are shown. */
const store = statement({
  name: "channel-update",
  text: `UPDATE channels SET name = $2, description = $3, rendered_description = $4, invite_only = $5,
      is_web_public = $6, history_public_to_subscribers = $7, message_retention_days = $8, topics_policy = $9,
      folder_id = $10
    WHERE id = $1`,
  row: {},
});

/** Stores what a locked channel is like from now on. */
export async function storeChannel(tx: Tx, channelId: number, next: NextChannel): Promise<void> {
  await tx.rows(store, [
    channelId,
    next.name,
    next.description,
    next.renderedDescription,
    next.inviteOnly,
    next.isWebPublic,
    next.historyPublicToSubscribers,
    next.messageRetentionDays,
    next.topicsPolicy,
    next.folderId,
  ]);
}
