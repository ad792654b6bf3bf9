import { getChannel } from "@carillon/contract";
import { readChannel } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(getChannel, async ({ path, actor, services }) => ({
  stream: await services.db.transaction((tx) => readChannel(tx, actor, path.stream_id), {
    mode: "repeatable read read only",
  }),
}));
