import { getBotApiKey } from "@carillon/contract";
import { botApiKey } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(getBotApiKey, async ({ path, actor, services: { db, site } }) => ({
  api_key: await botApiKey(db, site, actor, path.bot_id),
}));
