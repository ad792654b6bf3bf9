import { updateStatus as operation } from "@carillon/contract";
import { updateStatus } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, async ({ tx, input, actor }) => {
  await updateStatus(tx, actor, input.status_text, {
    name: input.emoji_name,
    code: input.emoji_code,
    type: input.reaction_type,
  });
});
