import { deactivateBot as operation } from "@carillon/contract";
import { deactivateBot } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, ({ tx, path, actor }) =>
  deactivateBot(tx, actor, path.bot_id),
);
