import { listPresences } from "@carillon/contract";
import { readPresences, usualHistoryLimit } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(listPresences, async ({ sql, actor }) => {
  const { presences, server_timestamp } = await readPresences(sql, actor, {
    modern: false,
    historyLimit: usualHistoryLimit,
  });
  return { presences, server_timestamp };
});
