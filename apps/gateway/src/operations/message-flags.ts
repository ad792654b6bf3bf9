import * as contract from "@carillon/contract";
import { changeFlag, changeFlagInNarrow, markAsRead } from "@carillon/domain";
import { handle } from "../handle.ts";

export default [
  handle.changes(contract.updateMessageFlags, async ({ tx, input, actor }) => {
    const { messages, op, flag } = input;
    const { ignored } = await changeFlag(tx, actor, { op, flag, ids: messages, unseen: "refused" });
    return { messages, ignored_because_not_subscribed_channels: ignored };
  }),

  handle.changes(contract.updateMessageFlagsInNarrow, async ({ tx, input, actor }) => {
    const { ids, changed, foundOldest, foundNewest, ignored } = await changeFlagInNarrow(
      tx,
      actor,
      {
        op: input.op,
        flag: input.flag,
        anchor: input.anchor,
        anchorDate: input.anchor_date,
        includeAnchor: input.include_anchor,
        numBefore: input.num_before,
        numAfter: input.num_after,
        narrow: input.narrow ?? [],
      },
    );
    return {
      processed_count: ids.length,
      updated_count: changed,
      first_processed_id: ids[0] ?? null,
      last_processed_id: ids.at(-1) ?? null,
      found_oldest: foundOldest,
      found_newest: foundNewest,
      ignored_because_not_subscribed_channels: ignored,
    };
  }),

  handle.inSteps(contract.markAllRead, async ({ actor, services: { db } }) => ({
    complete: await markAsRead(db, actor, {}),
  })),

  handle.inSteps(contract.markChannelRead, async ({ input, actor, services: { db } }) => ({
    complete: await markAsRead(db, actor, { channelId: input.stream_id }),
  })),

  handle.inSteps(contract.markTopicRead, async ({ input, actor, services: { db } }) => {
    const named = { channelId: input.stream_id, topic: input.topic_name };
    return { complete: await markAsRead(db, actor, named) };
  }),
];
