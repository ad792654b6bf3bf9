import * as contract from "@carillon/contract";
import { readStatus, updateStatus, updateStatusOfUser } from "@carillon/domain";
import { handle } from "../handle.ts";

export default [
  handle.reads(contract.getStatus, async ({ sql, path, actor }) => ({
    status: await readStatus(sql, actor, path.user_id),
  })),

  handle.changes(contract.updateStatus, async ({ tx, input, actor }) => {
    await updateStatus(tx, actor, input.status_text, {
      name: input.emoji_name,
      code: input.emoji_code,
      type: input.reaction_type,
    });
  }),

  handle.changes(contract.updateStatusOfUser, async ({ tx, path, input, actor }) => {
    await updateStatusOfUser(tx, actor, path.user_id, input.status_text, {
      name: input.emoji_name,
      code: input.emoji_code,
      type: input.reaction_type,
    });
  }),
];
