import { getChannelEmailAddress } from "@carillon/contract";
import { readEmailAddress } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(getChannelEmailAddress, ({ snapshot, path, actor }) =>
  snapshot((sql) => readEmailAddress(sql, actor, path.stream_id)),
);
