import { getBotApiKey } from "@carillon/contract";
import { botApiKey } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(getBotApiKey, async ({ sql, path, actor, services: { site } }) => ({
  api_key: await botApiKey(sql, site, actor, path.bot_id),
}));
