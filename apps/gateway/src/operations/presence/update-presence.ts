import { updatePresence } from "@carillon/contract";
import { readPresences, recordPresence } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.inSteps(updatePresence, async ({ input, actor, services }) => {
  await services.db.transaction((tx) => recordPresence(tx, actor, input.status));
  if (input.ping_only) return {};
  const since = input.last_update_id;
  return readPresences(services.db, actor, {
    modern: input.slim_presence || since !== undefined,
    since,
    historyLimit: input.history_limit_days,
  });
});
