import { deactivateBot as operation } from "@carillon/contract";
import { deactivateBot } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(operation, ({ path, actor, services }) =>
  services.db.transaction((tx) => deactivateBot(tx, actor, path.bot_id)),
);
