import { regenerateApiKey } from "@carillon/contract";
import { changeOwnApiKey } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(regenerateApiKey, async ({ actor, services: { db, site } }) => ({
  api_key: await db.transaction((tx) => changeOwnApiKey(tx, site, actor)),
}));
