import { regenerateBotApiKey } from "@carillon/contract";
import { changeBotApiKey } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(regenerateBotApiKey, async ({ path, actor, services: { db, site } }) => ({
  api_key: await db.transaction((tx) => changeBotApiKey(tx, site, actor, path.bot_id)),
}));
