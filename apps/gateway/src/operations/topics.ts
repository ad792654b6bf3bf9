import * as contract from "@carillon/contract";
import { deleteTopic, listTopics, muteTopic, setTopicPolicy, unmuteTopic } from "@carillon/domain";
import { handle } from "../handle.ts";

export default [
  handle.reads(contract.listTopics, async ({ snapshot, input, path, actor }) => ({
    topics: await snapshot((sql) =>
      listTopics(sql, actor, path.stream_id, { allowEmptyName: input.allow_empty_topic_name }),
    ),
  })),

  handle.inSteps(contract.deleteTopic, async ({ input, path, actor, services: { db } }) => ({
    complete: await deleteTopic(db, actor, { channelId: path.stream_id, topic: input.topic_name }),
  })),

  handle.changes(contract.muteTopic, async ({ tx, input, actor }) => {
    const { stream_id: id, stream: name, topic, op } = input;
    const channel = id ?? name?.trim();
    if (channel === undefined || (id !== undefined && name !== undefined))
      throw contract.errors.badRequest("Name the channel by either stream_id or stream");
    const change = op === "add" ? muteTopic : unmuteTopic;
    await change(tx, actor, { channel, topic });
  }),

  handle.changes(contract.setTopicPolicy, ({ tx, input, actor }) =>
    setTopicPolicy(tx, actor, {
      channel: input.stream_id,
      topic: input.topic,
      policy: input.visibility_policy,
    }),
  ),
];
