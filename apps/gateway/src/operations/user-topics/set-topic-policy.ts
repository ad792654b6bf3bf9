import { setTopicPolicy as operation } from "@carillon/contract";
import { setTopicPolicy } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, ({ tx, input, actor }) =>
  setTopicPolicy(tx, actor, {
    channel: input.stream_id,
    topic: input.topic,
    policy: input.visibility_policy,
  }),
);
