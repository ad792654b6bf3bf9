import { listPresences } from "@carillon/contract";
import { readPresences, usualHistoryLimit } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(listPresences, async ({ actor, services }) => {
  const { presences, server_timestamp } = await readPresences(services.db, actor.realmId, {
    modern: false,
    historyLimit: usualHistoryLimit,
  });
  return { presences, server_timestamp };
});
