import { removeReaction as operation } from "@carillon/contract";
import { removeReaction } from "@carillon/domain";

import { handle } from "../../handle.ts";

/** `DELETE /messages/{message_id}/reactions` (messages.md §6.5). */
export default handle.changes(operation, async ({ tx, input, path, actor }) => {
  const { emoji_name: name, emoji_code: code, reaction_type: type } = input;
  await removeReaction(tx, actor, path.message_id, { name, code, type });
});
