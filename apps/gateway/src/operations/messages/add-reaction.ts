import { addReaction as operation } from "@carillon/contract";
import { addReaction } from "@carillon/domain";

import { handle } from "../../handle.ts";

/** `POST /messages/{message_id}/reactions` (messages.md §6.5). */
export default handle.changes(operation, async ({ tx, input, path, actor }) => {
  const { emoji_name: name, emoji_code: code, reaction_type: type } = input;
  await addReaction(tx, actor, path.message_id, { name, code, type });
});
