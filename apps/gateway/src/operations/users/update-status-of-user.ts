import { updateStatusOfUser as operation } from "@carillon/contract";
import { updateStatusOfUser } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, async ({ tx, path, input, actor }) => {
  await updateStatusOfUser(tx, actor, path.user_id, input.status_text, {
    name: input.emoji_name,
    code: input.emoji_code,
    type: input.reaction_type,
  });
});
