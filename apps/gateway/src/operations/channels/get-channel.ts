import { getChannel } from "@carillon/contract";
import { readChannel } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(getChannel, async ({ snapshot, path, actor }) => ({
  stream: await snapshot((sql) => readChannel(sql, actor, path.stream_id)),
}));
