import { updateMessageFlags } from "@carillon/contract";
import { changeFlag } from "@carillon/domain";

import { handle } from "../../handle.ts";

/** `POST /messages/flags` (messages.md §7). */
export default handle.changes(updateMessageFlags, async ({ tx, input, actor }) => {
  const { messages, op, flag } = input;
  const { ignored } = await changeFlag(tx, actor, { op, flag, ids: messages, unseen: "refused" });
  return { messages, ignored_because_not_subscribed_channels: ignored };
});
