import { getChannelId } from "@carillon/contract";
import { readChannelId } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(getChannelId, async ({ snapshot, input, actor }) => ({
  stream_id: await snapshot((sql) => readChannelId(sql, actor, input.stream)),
}));
