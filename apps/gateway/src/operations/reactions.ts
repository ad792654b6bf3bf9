import * as contract from "@carillon/contract";
import { addReaction, removeReaction } from "@carillon/domain";
import { handle } from "../handle.ts";

export default [
  handle.changes(contract.addReaction, async ({ tx, input, path, actor }) => {
    const { emoji_name: name, emoji_code: code, reaction_type: type } = input;
    await addReaction(tx, actor, path.message_id, { name, code, type });
  }),

  handle.changes(contract.removeReaction, async ({ tx, input, path, actor }) => {
    const { emoji_name: name, emoji_code: code, reaction_type: type } = input;
    await removeReaction(tx, actor, path.message_id, { name, code, type });
  }),
];
