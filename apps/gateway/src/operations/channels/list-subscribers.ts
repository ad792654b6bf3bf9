import { listSubscribers } from "@carillon/contract";
import { readSubscribers } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(listSubscribers, async ({ path, actor, services }) => ({
  subscribers: await services.db.transaction((tx) => readSubscribers(tx, actor, path.stream_id), {
    mode: "repeatable read read only",
  }),
}));
