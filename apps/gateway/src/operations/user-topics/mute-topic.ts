import { errors, muteTopic as operation } from "@carillon/contract";
import { muteTopic, unmuteTopic } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(operation, async ({ input, actor, services }) => {
  const { stream_id: id, stream: name, topic, op } = input;
  const channel = id ?? name?.trim();
  if (channel === undefined || (id !== undefined && name !== undefined))
    throw errors.badRequest("Name the channel by either stream_id or stream");
  const change = op === "add" ? muteTopic : unmuteTopic;
  await services.db.transaction((tx) => change(tx, actor, { channel, topic }));
});
