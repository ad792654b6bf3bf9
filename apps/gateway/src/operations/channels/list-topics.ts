import { listTopics as operation } from "@carillon/contract";
import { listTopics } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(operation, async ({ input, path, actor, services }) => ({
  topics: await services.db.transaction(
    (tx) => listTopics(tx, actor, path.stream_id, { allowEmptyName: input.allow_empty_topic_name }),
    { mode: "repeatable read read only" },
  ),
}));
