import { regenerateApiKey } from "@carillon/contract";
import { changeOwnApiKey } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(regenerateApiKey, async ({ tx, actor, services: { site } }) => ({
  api_key: await changeOwnApiKey(tx, site, actor),
}));
