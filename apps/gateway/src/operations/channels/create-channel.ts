import { createChannel as operation } from "@carillon/contract";
import { createChannel } from "@carillon/domain";
import { handle } from "../../handle.ts";
import { creationOptions } from "./creation-options.ts";

export default handle.changes(operation, async ({ tx, input, actor }) => {
  const { name, description, subscribers } = input;
  const channel = { ...creationOptions(input), name, description, subscribers };
  const id = await createChannel(tx, actor, channel);
  return { id };
});
