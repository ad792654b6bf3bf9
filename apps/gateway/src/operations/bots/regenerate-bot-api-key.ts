import { regenerateBotApiKey } from "@carillon/contract";
import { changeBotApiKey } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(
  regenerateBotApiKey,
  async ({ tx, path, actor, services: { site } }) => ({
    api_key: await changeBotApiKey(tx, site, actor, path.bot_id),
  }),
);
