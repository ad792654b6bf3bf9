import { errors, muteTopic as operation } from "@carillon/contract";
import { muteTopic, unmuteTopic } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, async ({ tx, input, actor }) => {
  const { stream_id: id, stream: name, topic, op } = input;
  const channel = id ?? name?.trim();
  if (channel === undefined || (id !== undefined && name !== undefined))
    throw errors.badRequest("Name the channel by either stream_id or stream");
  const change = op === "add" ? muteTopic : unmuteTopic;
  await change(tx, actor, { channel, topic });
});
