import { listSubscribers } from "@carillon/contract";
import { readSubscribers } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(listSubscribers, async ({ snapshot, path, actor }) => ({
  subscribers: await snapshot((sql) => readSubscribers(sql, actor, path.stream_id)),
}));
