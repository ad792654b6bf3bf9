import { getChannelId } from "@carillon/contract";
import { readChannelId } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(getChannelId, async ({ input, actor, services }) => ({
  stream_id: await services.db.transaction((tx) => readChannelId(tx, actor, input.stream), {
    mode: "repeatable read read only",
  }),
}));
