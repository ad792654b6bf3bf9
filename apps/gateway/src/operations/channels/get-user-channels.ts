import { getUserChannels } from "@carillon/contract";
import { readChannelsOfUser } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(getUserChannels, async ({ snapshot, path, actor }) => ({
  subscribed_channel_ids: await snapshot((sql) => readChannelsOfUser(sql, actor, path.user_id)),
}));
