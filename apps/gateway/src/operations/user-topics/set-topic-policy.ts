import { setTopicPolicy as operation } from "@carillon/contract";
import { setTopicPolicy } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(operation, ({ input, actor, services }) =>
  services.db.transaction((tx) =>
    setTopicPolicy(tx, actor, {
      channel: input.stream_id,
      topic: input.topic,
      policy: input.visibility_policy,
    }),
  ),
);
