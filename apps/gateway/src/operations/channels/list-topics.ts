import { listTopics as operation } from "@carillon/contract";
import { listTopics } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(operation, async ({ snapshot, input, path, actor }) => ({
  topics: await snapshot((sql) =>
    listTopics(sql, actor, path.stream_id, { allowEmptyName: input.allow_empty_topic_name }),
  ),
}));
