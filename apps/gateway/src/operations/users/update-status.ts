import { updateStatus as operation } from "@carillon/contract";
import { updateStatus } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(operation, async ({ input, actor, services }) => {
  await services.db.transaction((tx) =>
    updateStatus(tx, actor, input.status_text, {
      name: input.emoji_name,
      code: input.emoji_code,
      type: input.reaction_type,
    }),
  );
});
