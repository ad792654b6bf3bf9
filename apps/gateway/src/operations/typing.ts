import * as contract from "@carillon/contract";
import { sendEditingEvents, sendTypingEvents } from "@carillon/domain";
import { handle } from "../handle.ts";

export default [
  handle.changes(contract.setTypingStatus, async ({ tx, input, actor, services: { site } }) => {
    await sendTypingEvents(tx, site, actor, {
      op: input.op,
      type: input.type,
      to: input.to,
      channelId: input.stream_id,
      topic: input.topic,
    });
  }),

  handle.changes(contract.setEditTypingStatus, async ({ tx, input, path, actor }) => {
    await sendEditingEvents(tx, actor, { op: input.op, messageId: path.message_id });
  }),
];
