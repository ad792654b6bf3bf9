import { createChannel as operation } from "@carillon/contract";
import { createChannel } from "@carillon/domain";
import { handle } from "../../services.ts";
import { creationOptions } from "./creation-options.ts";

export default handle(operation, async ({ input, actor, services }) => {
  const { name, description, subscribers } = input;
  const channel = { ...creationOptions(input), name, description, subscribers };
  const id = await services.db.transaction((tx) => createChannel(tx, actor, channel));
  return { id };
});
